#include "recipe/run_configuration.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <ratio>
#include <utility>

#include "config/config_file.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "modules/transformer.h"
#include "tensors/device.h"
#include "training/step_probe.h"

namespace translate::trainer {

double share_for_training(const RecipeRequest& request) { return request.init.empty() ? 0.97 : 0.85; }

namespace {

/// A configuration with the folder and the seed of the run.
Config in_run(Config config, const RunText& run) {
  config.run_dir = run.run_dir;
  config.training.seed = run.seed;
  return config;
}

}  // namespace

std::uint64_t seed_of(const RecipeRequest& request) {
  Config defaults;
  override_config(defaults, request.overrides, "--set");
  return request.seed.value_or(defaults.training.seed);
}

Config config_of_choices(std::span<const Choice> choices, const RecipeRequest& request, const RunText& run) {
  auto config = config_from_json_text(recipe_file(choices, {}), kRecipeFile, run.run_dir);
  override_config(config, request.overrides, "--set");
  return in_run(std::move(config), run);
}

double seconds_of_step(const Config& config, const TrainingData& data, const c10::Device& device) {
  constexpr double kSeconds = 8.0;
  seed_generators(config.training.seed);
  StepProbe probe(build_transformer(config.model, vocabulary_sizes(data.tokenizers)), data, config, device);
  const auto cost = probe.time_steps(kSeconds);
  const auto tokens = static_cast<double>(cost.target_tokens) / static_cast<double>(cost.steps);
  return cost.seconds_for(tokens, 1.0);
}

double left_for_training(const RecipeRequest& request, double minutes) {
  constexpr double kLeast = 0.5;
  const std::chrono::duration<double, std::ratio<60>> taken = std::chrono::steady_clock::now() - request.begin;
  const auto left = (minutes - taken.count()) * share_for_training(request);
  if (left < kLeast) {
    throw ConfigError(
        fmt::format("the time of {:.0f} minutes is too short: reading the text and measuring the speed took "
                    "{:.1f} minutes",
                    minutes, taken.count()));
  }
  return left;
}

void write_recipe(const Recipe& recipe, std::span<const std::string> head, const std::string& what,
                  const RunText& run) {
  const auto file = run.run_dir / kRecipeFile;
  write_file_atomically(file, recipe_file(recipe.choices, head));
  log_info(fmt::format("recipe: {}; written with its reasons to {}", what, file.string()));
}

Config config_of_run(const RecipeRequest& request, const RunText& run, std::optional<double> minutes) {
  auto overrides = request.overrides;
  if (minutes) {  // before what --set gives, which has the last word
    overrides.insert(overrides.begin(), fmt::format("training.max_minutes={}", *minutes));
  }
  return in_run(read_config(run.run_dir / kRecipeFile, overrides), run);
}

Config config_of_earlier_run(const RecipeRequest& request, const RunText& run) {
  auto config = config_of_run(
      request, run, request.minutes ? std::optional(*request.minutes * share_for_training(request)) : std::nullopt);
  log_info(fmt::format("run: {} is of the same text, and goes on", run.run_dir.string()));
  return config;
}

}  // namespace translate::trainer
