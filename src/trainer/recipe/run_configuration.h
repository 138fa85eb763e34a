#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "data/training_data.h"
#include "recipe/recipe.h"
#include "recipe/run_text.h"
#include "train/recipe_request.h"

namespace translate::trainer {

/// Returns the seed of a request. Throws ConfigError if one of its settings is wrong, before anything is written.
[[nodiscard]] std::uint64_t seed_of(const RecipeRequest& request);

/// Returns the configuration of choices, with the settings of the request on top, for trying them.
[[nodiscard]] Config config_of_choices(std::span<const Choice> choices, const RecipeRequest& request,
                                       const RunText& run);

/// Measures the time that a training step takes, in seconds.
[[nodiscard]] double seconds_of_step(const Config& config, const TrainingData& data, const c10::Device& device);

/// Returns the share of the time in which a training ends: the rest is for the last validation and checkpoint, and for
/// measuring what fine-tuning has changed.
[[nodiscard]] double share_for_training(const RecipeRequest& request);

/// Returns the minutes of a training that leave time for what comes behind it, of those that the user gives for all.
/// Throws ConfigError if what came before it has taken most of them.
[[nodiscard]] double left_for_training(const RecipeRequest& request, double minutes);

/// Writes the recipe of a run; `head` are the lines of the comment at its head, `what` describes it in the log.
void write_recipe(const Recipe& recipe, std::span<const std::string> head, const std::string& what, const RunText& run);

/// Returns the recipe of a run, with the settings of the request on top. `minutes`: in place of the recipe's time.
[[nodiscard]] Config config_of_run(const RecipeRequest& request, const RunText& run,
                                   std::optional<double> minutes = std::nullopt);

/// Returns the same for a run that was begun earlier, with the time that the request gives.
[[nodiscard]] Config config_of_earlier_run(const RecipeRequest& request, const RunText& run);

}  // namespace translate::trainer
