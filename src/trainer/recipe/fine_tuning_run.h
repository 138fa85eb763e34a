#pragma once

#include <c10/core/Device.h>

#include <filesystem>

#include "config/options.h"
#include "train/recipe_request.h"

namespace translate::trainer {

/// The folder in a run that gets the model of a fine-tuning.
inline constexpr const char* kFineTunedFolder = "fine-tuned";

/// RecipeSteps::prepare for a model that exists: prepares the text as make_recipe does, finds general text
/// (find_general_text), measures the speed, and writes a recipe that starts from the model (choose_fine_tuning). Throws
/// the errors of these parts; ConfigError if the weights lack a configuration or tokenizers, or if there is no time.
[[nodiscard]] Config make_fine_tuning(const RecipeRequest& request, const c10::Device& device);

/// RecipeSteps::measure for it: if general text lost more than 0.3 BLEU, goes back towards the start
/// (guarded_share); writes the model into `fine-tuned/` of the run, which is returned; and logs how it translates the
/// user's test set and the general one, beside the model that it started from.
[[nodiscard]] std::filesystem::path finish_fine_tuning(const RecipeRequest& request, const Config& config);

}  // namespace translate::trainer
