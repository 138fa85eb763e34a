#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "config/options.h"
#include "explain/exercises/exercise_kinds.h"
#include "training/optimizer/schedule.h"

namespace translate::tools {

namespace {

constexpr std::int64_t kLargestStep = 1000000000;
constexpr std::int64_t kLargestWidth = 65536;

std::vector<ExampleStep> compute_learning_rates(const ExampleFile& file) {
  const auto d_model = file.member("d_model").integer(between(1, kLargestWidth));
  TrainingOptions options;
  options.schedule = ScheduleKind::kNoam;
  options.warmup_steps = file.member("warmup_steps").integer(between(1, kLargestStep));
  options.learning_rate = file.member("factor").number_or(1.0, at_least(0));

  std::vector<double> numbers;
  std::vector<double> decays;
  std::vector<double> warm_ups;
  std::vector<double> rates;
  for (const auto step : file.integers("steps", between(1, kLargestStep))) {
    numbers.push_back(static_cast<double>(step));
    decays.push_back(std::pow(static_cast<double>(step), -0.5));
    warm_ups.push_back(static_cast<double>(step) * std::pow(static_cast<double>(options.warmup_steps), -1.5));
    rates.push_back(trainer::learning_rate_at(options, d_model, step));
  }
  const auto row = [](const char* name, const std::string& meaning, const std::vector<double>& values,
                      Comparison comparison) {
    return ExampleStep{.name = name,
                       .meaning = meaning,
                       .value = at::tensor(values, at::kDouble).unsqueeze(0),  // (1, steps)
                       .comparison = comparison};
  };
  return {row("steps", "given, counted from 1", numbers, Comparison::kAbsolute),
          row("decay", "step^-0.5: the smaller one after the warm-up", decays, Comparison::kRelative),
          row("warm_up", fmt::format("step * warmup^-1.5, warmup = {}: the smaller one before", options.warmup_steps),
              warm_ups, Comparison::kRelative),
          row("rate",
              fmt::format("{}d_model^-0.5 * min(decay, warm_up), d_model = {}", file.has("factor") ? "factor * " : "",
                          d_model),
              rates, Comparison::kRelative)};
}

}  // namespace

ExerciseKind learning_rate_exercise() {
  return {.name = "learning_rate",
          .keys = {"d_model", "warmup_steps", "steps", "factor"},
          .steps = {"steps", "decay", "warm_up", "rate"},
          .conditions = "",
          .compute = &compute_learning_rates};
}

}  // namespace translate::tools
