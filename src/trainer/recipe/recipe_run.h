#pragma once

#include <c10/core/Device.h>

#include "config/options.h"
#include "train/recipe_request.h"

namespace translate::trainer {

/// RecipeSteps::prepare for a new model. Finds the pairs (find_pair_files), prepares them (prepare_pairs) in `text/` of
/// the run's folder, builds the tokenizers, measures the speed of the models that suit the text, chooses a recipe
/// (choose_recipe) and writes it as recipe.json. Without a time, the user is asked if stdin is a terminal. Throws the
/// errors of these parts; ConfigError if the languages are unknown, if there is no time and nobody to ask, or if
/// `run_dir` has a run of another text.
[[nodiscard]] Config make_recipe(const RecipeRequest& request, const c10::Device& device);

}  // namespace translate::trainer
