#include "recipe/model_measurement.h"

#include <fmt/format.h>

#include "core/logging.h"
#include "data/training_data.h"
#include "languages/language_names.h"
#include "recipe/run_configuration.h"
#include "training/training_start.h"

namespace translate::trainer {

ModelMeasurement::ModelMeasurement(const RecipeRequest& request, const RunText& run, const c10::Device& device)
    : request_(request), run_(run), bf16_(multiplies_bf16(device)) {
  auto corpora = real_corpora(run_);
  corpora.insert(corpora.end(), run_.written.begin(), run_.written.end());
  facts_ = {.pairs = amount_of(corpora).pairs,
            .languages = run_.languages,
            .folder = run_.text,
            .clean = run_.clean,
            .written = run_.written,
            .teachers = run_.teachers};
  const auto shapes = run_.size ? std::vector{shape_of(*run_.size)} : shapes_for(facts_.pairs);
  const auto first = config_for(shapes.front());
  const auto data = load_training_data(first, data_folders(first, run_.run_dir));
  facts_.target_tokens = static_cast<double>(data.statistics.train_target_tokens);
  for (const auto& shape : shapes) {
    log_info(fmt::format("speed: trying a model of {}", in_words(shape)));
    measured_.push_back({.shape = shape, .step_seconds = seconds_of_step(config_for(shape), data, device)});
  }
}

Recipe ModelMeasurement::recipe(double minutes) const { return choose_recipe(facts_, measured_, minutes, bf16_); }

Config ModelMeasurement::config_for(const ModelShape& shape) const {
  return config_of_choices(choices_for_shape(facts_, shape, bf16_), request_, run_);
}

std::string in_words(const Recipe& recipe) {
  return fmt::format("a model of {}; about {:.0f} steps, {:.1f} epochs", in_words(recipe.shape), recipe.steps,
                     recipe.epochs);
}

void write_measured_recipe(const ModelMeasurement& measurement, double minutes, const std::string& time,
                           const RunText& run) {
  const auto recipe = measurement.recipe(minutes);
  const std::vector<std::string> head = {
      fmt::format("{} to {}, in {}. Chosen by translate-train; docs/recipe.md has the rules.",
                  language_name(run.languages.source), language_name(run.languages.target), time),
      fmt::format("translate-train --config {} trains with it, and another run begins with --run-dir.", kRecipeFile)};
  write_recipe(recipe, head, in_words(recipe), run);
}

}  // namespace translate::trainer
