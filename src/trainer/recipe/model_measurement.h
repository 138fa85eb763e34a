#pragma once

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "config/options.h"
#include "recipe/recipe.h"
#include "recipe/run_text.h"
#include "train/recipe_request.h"

namespace translate::trainer {

/// The speed of the models that suit a text, on this machine.
class ModelMeasurement {
 public:
  /// Encodes the text of a run, and measures a few training steps of each model, which is logged.
  ModelMeasurement(const RecipeRequest& request, const RunText& run, const c10::Device& device);

  /// Returns the recipe for a training of so many minutes (choose_recipe).
  [[nodiscard]] Recipe recipe(double minutes) const;

 private:
  [[nodiscard]] Config config_for(const ModelShape& shape) const;

  const RecipeRequest& request_;
  const RunText& run_;
  bool bf16_;
  TextFacts facts_;
  std::vector<MeasuredShape> measured_;
};

/// Returns a recipe in words: "a model of 4 + 4 layers, 128 wide; about 5300 steps, 20.1 epochs".
[[nodiscard]] std::string in_words(const Recipe& recipe);

/// Writes the recipe for a training of so many minutes into the folder of its run. `time`: the time that the user
/// gives, for the file.
void write_measured_recipe(const ModelMeasurement& measurement, double minutes, const std::string& time,
                           const RunText& run);

}  // namespace translate::trainer
