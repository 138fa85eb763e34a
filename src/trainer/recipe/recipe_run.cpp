#include "recipe/recipe_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/temporary_folder.h"
#include "core/terminal.h"
#include "recipe/distilled_run.h"
#include "recipe/model_measurement.h"
#include "recipe/recipe.h"
#include "recipe/run_configuration.h"
#include "recipe/run_text.h"

namespace translate::trainer {

namespace {

/// Asks for the time, and shows what it would give. Throws ConfigError if there is no answer.
double asked_minutes(const ModelMeasurement& measurement) {
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
  if (is_on(request.distillation)) {
    return make_distilled_recipe(request, run, device);  // goes on with what there is, too
  }
  if (run.has_recipe) {
    return config_of_earlier_run(request, run);
  }
  const ModelMeasurement measurement(request, run, device);
  const auto minutes = request.minutes ? *request.minutes : asked_minutes(measurement);
  write_measured_recipe(measurement, left_for_training(request, minutes), format_duration(60.0 * minutes), run);
  return config_of_run(request, run);
}

}  // namespace translate::trainer
