#include "recipe/recipe_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/logging.h"
#include "core/temporary_folder.h"
#include "core/terminal.h"
#include "data/training_data.h"
#include "languages/language_names.h"
#include "pairs/pair_preparation.h"
#include "recipe/recipe.h"
#include "recipe/run_configuration.h"
#include "recipe/run_text.h"
#include "training/training_start.h"

namespace translate::trainer {

namespace {

/// Encodes the text, and measures the models that suit it.
class Measurement {
 public:
  Measurement(const RecipeRequest& request, const RunText& run, const c10::Device& device)
      : request_(request), run_(run), bf16_(multiplies_bf16(device)) {
    std::vector<CorpusFiles> corpora = {prepared_files(run_.text, "train", run_.languages)};
    if (!run_.clean.empty()) {
      corpora.push_back(prepared_files(run_.clean, "train", run_.languages));
    }
    facts_ = {.pairs = amount_of(corpora).pairs, .languages = run_.languages, .folder = run_.text, .clean = run_.clean};
    const auto shapes = shapes_for(facts_.pairs);
    const auto first = config_for(shapes.front());
    const auto data = load_training_data(first, data_folders(first, run_.run_dir));
    facts_.target_tokens = static_cast<double>(data.statistics.train_target_tokens);
    for (const auto& shape : shapes) {
      log_info(
          fmt::format("speed: trying a model of {} + {} layers, {} wide", shape.layers, shape.layers, shape.d_model));
      measured_.push_back({.shape = shape, .step_seconds = seconds_of_step(config_for(shape), data, device)});
    }
  }

  [[nodiscard]] Recipe recipe(double minutes) const { return choose_recipe(facts_, measured_, minutes, bf16_); }

 private:
  [[nodiscard]] Config config_for(const ModelShape& shape) const {
    return config_of_choices(choices_for_shape(facts_, shape, bf16_), request_, run_);
  }

  const RecipeRequest& request_;
  const RunText& run_;
  bool bf16_;
  TextFacts facts_;
  std::vector<MeasuredShape> measured_;
};

std::string in_words(const Recipe& recipe) {
  return fmt::format("a model of {} + {} layers, {} wide; about {:.0f} steps, {:.1f} epochs", recipe.shape.layers,
                     recipe.shape.layers, recipe.shape.d_model, recipe.steps, recipe.epochs);
}

/// Asks for the time, and shows what it would give. Throws ConfigError if there is no answer.
double asked_minutes(const Measurement& measurement) {
  constexpr double kHour = 60.0;
  std::string text = "How many hours may the training take?\n";
  for (const int hours : {1, 4, 12}) {
    text += fmt::format("  {:>2}  {}\n", hours, in_words(measurement.recipe(hours * kHour)));
  }
  std::cerr << text << "Hours: " << std::flush;
  double hours = 0.0;
  if (!(std::cin >> hours) || !(hours > 0.0)) {
    throw ConfigError("no number of hours was given; --hours and --minutes name the time, too");
  }
  return hours * kHour;
}

}  // namespace

Config make_recipe(const RecipeRequest& request, const c10::Device& device) {
  if (!request.minutes && ::isatty(STDIN_FILENO) == 0) {
    throw ConfigError("how long may the training take? Give --hours or --minutes");
  }
  const auto seed = seed_of(request);
  std::optional<TemporaryFolder> copied;
  const auto run = prepare_run_text(request, find_text(request, request.languages, copied), seed);
  if (run.has_recipe) {
    return config_of_earlier_run(request, run);
  }
  const Measurement measurement(request, run, device);
  const auto minutes = request.minutes ? *request.minutes : asked_minutes(measurement);
  const auto recipe = measurement.recipe(left_for_training(request, minutes));
  const std::vector<std::string> head = {
      fmt::format("{} to {}, in {}. Chosen by translate-train; docs/recipe.md has the rules.",
                  language_name(run.languages.source), language_name(run.languages.target),
                  format_duration(60.0 * minutes)),
      fmt::format("translate-train --config {} trains with it, and another run begins with --run-dir.", kRecipeFile)};
  write_recipe(recipe, head, in_words(recipe), run);
  return config_of_run(request, run);
}

}  // namespace translate::trainer
