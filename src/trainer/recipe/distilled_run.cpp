#include "recipe/distilled_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <ratio>
#include <utility>

#include "config/config_file.h"
#include "config/validate.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/terminal.h"
#include "distillation/distillation.h"
#include "recipe/model_measurement.h"
#include "recipe/run_configuration.h"
#include "training/training.h"

namespace translate::trainer {

namespace {

constexpr double kShareOfTeachers = 0.4;  // of the whole time, for all of them together
constexpr double kShareOfWriting = 0.2;   // the same for what they write
constexpr double kLeastMinutes = 0.5;     // of a training

/// The minutes of each training before the last one. Throws ConfigError if they leave none for that.
double minutes_of_each(const RecipeRequest& request) {
  const auto all = *request.minutes;
  const auto trainings = trainings_before_student(request.distillation);
  if (trainings == 0) {
    return 0.0;
  }
  const auto each = std::max(kLeastMinutes, kShareOfTeachers * all / static_cast<double>(trainings));
  if (each * static_cast<double>(trainings) + kLeastMinutes > all) {
    throw ConfigError(
        fmt::format("the time is too short: before that of the student there are {}, of half a minute at least each: "
                    "give more --minutes or --hours",
                    counted(static_cast<std::uint64_t>(trainings), "training")));
  }
  return each;
}

/// The minutes of one of the trainings.
double minutes_for(const RecipeRequest& request, const DistillationPart& part, bool is_last) {
  const auto all = *request.minutes;
  if (!is_last) {
    return minutes_of_each(request);
  }
  const std::chrono::duration<double, std::ratio<60>> here = std::chrono::steady_clock::now() - request.begin;
  const auto left = all - std::max(here.count(), part.minutes) - part.predicting_minutes;
  if (left < kLeastMinutes) {
    throw ConfigError(
        "the teachers and what they have written have taken all the time: the same command with more --minutes or "
        "--hours goes on");
  }
  return share_for_training(request) * left;
}

/// The text of one of the trainings.
RunText text_of(const RecipeRequest& request, const RunText& run, const DistillationPart& part) {
  auto text = run;
  text.run_dir = part.run_dir;
  text.seed = run.seed + part.number;
  text.written = part.written;
  if (part.role == DistillationPart::Role::kStudent) {
    text.size = request.size;
    text.teachers = {
        .tokenizers = part.tokenizers, .models = part.teachers, .weight = request.distillation.teacher_weight};
  }
  if (part.role == DistillationPart::Role::kReverse) {
    std::swap(text.languages.source, text.languages.target);
  }
  return text;
}

/// The configuration of one of the trainings, whose recipe is chosen when it begins. The last one goes on with the time
/// that the request leaves it now.
Config config_of_training(const RecipeRequest& request, const RunText& run, const DistillationPart& part,
                          const c10::Device& device) {
  const auto text = text_of(request, run, part);
  const bool is_last = part.run_dir == run.run_dir;
  const auto minutes = minutes_for(request, part, is_last);
  make_folder(text.run_dir);
  const bool goes_on = std::filesystem::exists(text.run_dir / kRecipeFile);
  if (!goes_on) {
    const ModelMeasurement measurement(request, text, device);
    write_measured_recipe(measurement, minutes, format_duration(60.0 * minutes), text);
  }
  auto config = config_of_run(request, text, goes_on && is_last ? std::optional(minutes) : std::nullopt);
  if (part.role == DistillationPart::Role::kStudent) {
    override_config(config, request.distillation.student, "distillation.student");
  }
  return config;
}

}  // namespace

Config make_distilled_recipe(const RecipeRequest& request, const RunText& run, const c10::Device& device) {
  if (!request.minutes) {
    throw ConfigError("how long may the trainings take together? Give --hours or --minutes");
  }
  const auto text = real_corpora(run);
  Config whole;  // as far as the options of the distillation depend on it
  whole.data.train = text;
  whole.data.validation.files = text;
  whole.distillation = request.distillation;
  validate(whole);
  (void)minutes_of_each(request);
  const DistillationPlan plan{.options = request.distillation,
                              .text = text,
                              .source_language = run.languages.source,
                              .target_language = run.languages.target,
                              .run_dir = run.run_dir,
                              .writing_minutes = kShareOfWriting * *request.minutes};
  const DistillationSteps steps{
      .configure = [&](const auto& part) { return config_of_training(request, run, part, device); },
      .train = [&](const Config& config) { return train(config, {}, device); }};
  return steps.configure(prepare_student(plan, steps));
}

}  // namespace translate::trainer
