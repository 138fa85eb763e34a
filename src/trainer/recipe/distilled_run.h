#pragma once

#include <c10/core/Device.h>

#include "config/options.h"
#include "recipe/run_text.h"
#include "train/recipe_request.h"

namespace translate::trainer {

/// Makes the recipe of a model that learns from teachers (prepare_student), which are trained on the same text before,
/// each with a recipe of its own for its share of the time, or are ready. The student's recipe is chosen for all text,
/// with what the teachers have written, and for the time that is left. `run`: the prepared text of the student's run.
/// Throws ConfigError if there is no time or if the options contradict each other, StoppedBySignal as prepare_student
/// does, and the errors of its parts.
[[nodiscard]] Config make_distilled_recipe(const RecipeRequest& request, const RunText& run, const c10::Device& device);

}  // namespace translate::trainer
