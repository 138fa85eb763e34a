#include "recipe/recipe_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "config/json.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/processor.h"
#include "core/temporary_folder.h"
#include "core/terminal.h"
#include "core/unfinished_folder.h"
#include "corpora/checked_text.h"
#include "data/training_data.h"
#include "languages/language_names.h"
#include "modules/transformer.h"
#include "pairs/formats/pair_files.h"
#include "pairs/formats/standard_input.h"
#include "pairs/languages/pair_languages.h"
#include "pairs/languages/text_languages.h"
#include "pairs/pair_preparation.h"
#include "recipe/recipe.h"
#include "tensors/device.h"
#include "training/step_probe.h"

namespace translate::trainer {

namespace fs = std::filesystem;

namespace {

constexpr double kShareForTraining = 0.97;  // of the time; the rest is for the last validation and checkpoint
constexpr const char* kTextFolder = "text";
constexpr const char* kInputsFile = "inputs.json";
constexpr const char* kRecipeFile = "recipe.json";

/// What a run's text was made of: equal for the same files, wherever they are.
Json inputs_of(const std::vector<PairFiles>& files, const LanguageCodes& languages, std::uint64_t seed) {
  Json sums = Json::array();
  const auto add = [&](const fs::path& path) {
    if (const auto sum = sum_of_file(path)) {
      sums.push_back({path.filename().string(), sum->size, sum->crc32});
    }
  };
  for (const auto& one : files) {
    add(one.source);
    if (!one.target.empty() && one.target != one.source) {
      add(one.target);
    }
  }
  return {{"languages", {languages.source, languages.target}}, {"seed", seed}, {"files", std::move(sums)}};
}

/// Whether a run in this folder was made of the same text.
bool has_inputs(const fs::path& run_dir, const Json& inputs) {
  const auto file = run_dir / kTextFolder / kInputsFile;
  std::error_code error;
  return fs::exists(file, error) && parse_json(read_file(file)) == inputs;
}

/// "news" of news.de-en.tsv.gz.
std::string stem_of(const PairFiles& files) {
  auto name = files.source.filename().string();
  return name.substr(0, std::max<std::size_t>(1, name.find('.')));
}

/// The folder of the run: that of the same text if there is one, else one that is not there yet.
fs::path run_folder(const RecipeRequest& request, const std::vector<PairFiles>& files, const LanguageCodes& languages,
                    const Json& inputs) {
  std::error_code error;
  if (!request.run_dir.empty()) {
    const auto folder = fs::absolute(request.run_dir).lexically_normal();
    if (fs::exists(folder, error) && !fs::is_empty(folder, error) && !has_inputs(folder, inputs)) {
      throw ConfigError(
          fmt::format("{}: is there already, and is not a run of this text: give another --run-dir", folder.string()));
    }
    return folder;
  }
  auto stem = stem_of(files.front());
  const auto base = fs::absolute("runs") / fmt::format("{}-{}-{}", languages.source, languages.target, stem);
  for (int number = 1;; ++number) {
    const auto folder = number == 1 ? base : fs::path(fmt::format("{}-{}", base.string(), number));
    if (!fs::exists(folder, error) || has_inputs(folder, inputs)) {
      return folder;
    }
  }
}

/// Writes the prepared text into the run's folder, unless it is there.
void write_text(const std::vector<PairFiles>& files, const TextLanguages& languages, const Json& inputs,
                const fs::path& run_dir, std::uint64_t seed) {
  if (has_inputs(run_dir, inputs)) {
    return;
  }
  for (const auto& one : files) {
    log_info(fmt::format("data: reading {}", one.name()));
  }
  make_folder(run_dir);
  const UnfinishedFolder folder(run_dir / kTextFolder);
  const auto open = opener_of(files);
  const auto counts = prepare_pairs(open, folder.path(), languages.codes, seed, check_of_languages(languages, open));
  for (const auto& line : counts.describe()) {
    log_info("data: " + line);
  }
  write_file_synced(folder.path() / kInputsFile, inputs.dump() + "\n");
  folder.finish();
}

/// Encodes the text, and measures the models that suit it.
class Measurement {
 public:
  Measurement(const RecipeRequest& request, const fs::path& run_dir, const LanguageCodes& languages, std::uint64_t seed,
              const c10::Device& device)
      : overrides_(request.overrides),
        run_dir_(run_dir),
        text_(run_dir / kTextFolder),
        bf16_(!device.is_cpu() || has_bf16_kernels()) {
    const auto train = prepared_files(text_, "train", languages);
    facts_ = {.pairs = count_lines(train.source), .languages = languages};
    const auto shapes = shapes_for(facts_.pairs);
    const auto data =
        load_training_data(config_for(shapes.front(), seed), data_folders(config_for(shapes.front(), seed), run_dir_));
    facts_.target_tokens = static_cast<double>(data.statistics.train_target_tokens);
    for (const auto& shape : shapes) {
      log_info(
          fmt::format("speed: trying a model of {} + {} layers, {} wide", shape.layers, shape.layers, shape.d_model));
      const auto config = config_for(shape, seed);
      seed_generators(seed);
      StepProbe probe(build_transformer(config.model, vocabulary_sizes(data.tokenizers)), data, config, device);
      constexpr double kSeconds = 8.0;
      const auto cost = probe.time_steps(kSeconds);
      const auto tokens = static_cast<double>(cost.target_tokens) / static_cast<double>(cost.steps);
      measured_.push_back({.shape = shape, .step_seconds = cost.seconds_for(tokens, 1.0)});
    }
  }

  [[nodiscard]] Recipe recipe(double minutes) const { return choose_recipe(facts_, measured_, text_, minutes, bf16_); }

 private:
  static std::uint64_t count_lines(const fs::path& file) {
    std::uint64_t lines = 0;
    LineReader reader(file);
    for (std::string line; reader.next(line);) {
      ++lines;
    }
    return lines;
  }

  [[nodiscard]] Config config_for(const ModelShape& shape, std::uint64_t seed) const {
    auto config =
        config_from_json_text(recipe_file(choices_for_shape(facts_, shape, text_, bf16_), {}), kRecipeFile, run_dir_);
    override_config(config, overrides_, "--set");
    config.run_dir = run_dir_;
    config.training.seed = seed;
    return config;
  }

  std::vector<std::string> overrides_;
  fs::path run_dir_;
  fs::path text_;
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

/// The minutes of a training that leave time for what comes behind it.
double left_for_training(const RecipeRequest& request, double minutes) {
  const std::chrono::duration<double, std::ratio<60>> taken = std::chrono::steady_clock::now() - request.begin;
  const auto left = (minutes - taken.count()) * kShareForTraining;
  if (left < 0.5) {
    throw ConfigError(
        fmt::format("the time of {:.0f} minutes is too short: reading the text and measuring the speed took "
                    "{:.1f} minutes",
                    minutes, taken.count()));
  }
  return left;
}

Config config_of_run(const RecipeRequest& request, const fs::path& run_dir, std::uint64_t seed) {
  auto config = read_config(run_dir / kRecipeFile, request.overrides);
  config.run_dir = run_dir;
  config.training.seed = seed;
  return config;
}

}  // namespace

Config make_recipe(const RecipeRequest& request, const c10::Device& device) {
  if (!request.minutes && ::isatty(STDIN_FILENO) == 0) {
    throw ConfigError("how long may the training take? Give --hours or --minutes");
  }
  Config defaults;
  override_config(defaults, request.overrides, "--set");  // so that a wrong one is told before anything is written
  const auto seed = request.seed.value_or(defaults.training.seed);
  std::optional<TemporaryFolder> copied;
  const auto files = find_pair_files(with_standard_input(request.files, copied), request.languages);
  const auto text = languages_of_text(files, request.languages);
  const auto& languages = text.codes;
  log_info(fmt::format("languages: from {} ({}) to {} ({})", language_name(languages.source), languages.source,
                       language_name(languages.target), languages.target));
  const auto inputs = inputs_of(files, languages, seed);
  const auto run_dir = run_folder(request, files, languages, inputs);
  std::error_code error;
  if (has_inputs(run_dir, inputs) && fs::exists(run_dir / kRecipeFile, error)) {
    auto config = config_of_run(request, run_dir, seed);
    if (request.minutes) {
      config.training.max_minutes = *request.minutes * kShareForTraining;
    }
    log_info(fmt::format("run: {} is of the same text, and goes on", run_dir.string()));
    return config;
  }
  write_text(files, text, inputs, run_dir, seed);
  const Measurement measurement(request, run_dir, languages, seed, device);
  const auto minutes = request.minutes ? *request.minutes : asked_minutes(measurement);
  const auto recipe = measurement.recipe(left_for_training(request, minutes));
  const std::vector<std::string> head = {
      fmt::format("{} to {}, in {}. Chosen by translate-train; docs/recipe.md has the rules.",
                  language_name(languages.source), language_name(languages.target), format_duration(60.0 * minutes)),
      fmt::format("translate-train --config {} trains with it, and another run begins with --run-dir.", kRecipeFile)};
  write_file_atomically(run_dir / kRecipeFile, recipe_file(recipe.choices, head));
  log_info(
      fmt::format("recipe: {}; written with its reasons to {}", in_words(recipe), (run_dir / kRecipeFile).string()));
  return config_of_run(request, run_dir, seed);
}

}  // namespace translate::trainer
