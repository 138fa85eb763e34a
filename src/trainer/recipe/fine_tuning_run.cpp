#include "recipe/fine_tuning_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/model_writing.h"
#include "checkpoint/runs.h"
#include "checkpoint/weights_file.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/temporary_folder.h"
#include "core/terminal.h"
#include "data/training_data.h"
#include "decoding/model_loading.h"
#include "languages/directions.h"
#include "languages/language_codes.h"
#include "languages/language_names.h"
#include "pairs/pair_preparation.h"
#include "recipe/fine_tuning.h"
#include "recipe/forgetting_guard.h"
#include "recipe/general_text.h"
#include "recipe/run_configuration.h"
#include "recipe/run_text.h"
#include "recipe/translation_score.h"
#include "training/initial_weights.h"
#include "training/training_start.h"

namespace translate::trainer {

namespace fs = std::filesystem;

namespace {

constexpr double kMostLoss = 0.3;  // BLEU of general validation text, so that a test rarely shows more than half a BLEU

/// The folder in which --init looks for runs.
fs::path runs_folder(const RecipeRequest& request) {
  return request.run_dir.empty() ? fs::absolute(kRunsFolder) : fs::absolute(request.run_dir).parent_path();
}

/// Opens the model to fine-tune. Throws ConfigError if it is weights alone.
InitialWeights open_start(const RecipeRequest& request) {
  auto start = open_initial_weights(request.init, runs_folder(request));
  if (!start.config || !start.tokenizers) {
    throw ConfigError(
        fmt::format("--init {}: these are weights without a configuration and tokenizers, which a training on files "
                    "takes from the model: give a checkpoint or a folder of a model, or --config",
                    request.init));
  }
  return start;
}

/// The languages of a request, and where it names none those of the model, if it has one direction.
LanguageCodes known_languages(const RecipeRequest& request, const Config& start) {
  auto known = request.languages;
  if (language_pairs(start.data).size() > 1) {
    return known;
  }
  const auto named = named_sides(start.data);
  const auto of_model = language_codes(start.data);
  if (known.source.empty() && named.source && is_one_language(of_model.source)) {
    known.source = of_model.source;
  }
  if (known.target.empty() && named.target && is_one_language(of_model.target)) {
    known.target = of_model.target;
  }
  return known;
}

/// The languages that corpora have to name for a model that reads a tag of the target language; empty for others.
/// Throws ConfigError if the model does not translate between the languages of the text.
LanguageCodes tagged_languages(const InitialWeights& start, const LanguageCodes& languages) {
  const auto known = directions(*start.config, start.tokenizers->source);
  if (known.front().tag.empty()) {
    return {};
  }
  const auto has_source = named_sides(start.config->data).source;
  const auto found = find_direction(known, languages.target, has_source ? languages.source : "");
  if (!found) {
    throw ConfigError(fmt::format("{} translates into {}, but the text is in {} ({})", start.origin,
                                  describe_targets(known), language_name(languages.target), languages.target));
  }
  return {.source = has_source ? found->source : languages.source, .target = found->target};
}

FineTuningText text_of(const RunText& run, const std::optional<GeneralText>& general) {
  const auto set = [&](const char* name) { return corpus_of(run, run.text, name); };
  FineTuningText text{.train = set("train"),
                      .validation = set("validation"),
                      .test = set("test"),
                      .amount = amount_of({set("train")}),
                      .languages = run.languages};
  if (general) {
    text.replay = general->training;
    text.replay_amount = amount_of(text.replay);
  }
  return text;
}

std::string in_words(const Recipe& recipe, const FineTuningText& text) {
  return fmt::format("{} of your text{}; about {:.0f} steps, {:.1f} epochs of it", counted(text.amount.pairs, "pair"),
                     text.replay.empty() ? "" : fmt::format(" and {} of general text", text.replay_amount.pairs),
                     recipe.steps, recipe.epochs);
}

}  // namespace

Config make_fine_tuning(const RecipeRequest& request, const c10::Device& device) {
  if (!request.minutes) {
    throw ConfigError("how long may the training take? Give --minutes or --hours");
  }
  const auto seed = seed_of(request);
  auto start = open_start(request);
  std::optional<TemporaryFolder> copied;
  const auto given = find_text(request, known_languages(request, *start.config), copied);
  const auto tagged = tagged_languages(start, given.languages.codes);
  auto run = prepare_run_text(request, given, seed);
  run.tagged = tagged;
  if (run.has_recipe) {
    return config_of_earlier_run(request, run);
  }
  auto text = text_of(run, find_general_text(run, *start.config));
  const bool bf16 = multiplies_bf16(device);
  const auto config = config_of_choices(fine_tuning_choices(text, *start.config, {}, bf16), request, run);
  const auto folders = data_folders(config, run.run_dir);
  const auto data =
      prepare_training_data(config, check_training_text(config, folders), folders, std::move(start.tokenizers));
  text.target_tokens = static_cast<double>(data.statistics.train_target_tokens) * text.amount.target_bytes /
                       (text.amount.target_bytes + text.replay_amount.target_bytes);
  const auto step_seconds = seconds_of_step(config, data, device);
  const auto recipe =
      choose_fine_tuning(text, *start.config, left_for_training(request, *request.minutes), step_seconds, bf16);
  const std::vector<std::string> head = {
      fmt::format("{} to {}: {} fine-tuned in {}. Chosen by translate-train; docs/recipe.md has the rules.",
                  language_name(run.languages.source), language_name(run.languages.target), request.init,
                  format_duration(60.0 * *request.minutes)),
      fmt::format("translate-train --config {} --init {} --run-dir DIR trains with it again.", kRecipeFile,
                  request.init)};
  write_recipe(recipe, head, in_words(recipe, text), run);
  return config_of_run(request, run);
}

namespace {

/// The models between the start and the end of a fine-tuning, as checkpoints in a temporary folder.
class ModelsBetween {
 public:
  ModelsBetween(NamedArrays start, LoadedModel end) : start_(std::move(start)), end_(std::move(end)) {}

  /// Writes the model at a share of the way into a folder.
  void write(double share, const fs::path& folder) const {
    auto model = end_;
    if (share < 1.0) {
      model.weights = interpolated_weights(start_, end_.weights, share);
      model.confidence.reset();  // was measured at the end
    }
    write_model_checkpoint(folder, model);
  }

  /// Returns the score of the model at a share of the way. The one at the start is measured several times, and written
  /// once.
  [[nodiscard]] TranslationScore score(double share, const ScoredText& text, BleuTokenization tokenization) const {
    const auto folder = scratch_.path() / (share == 0.0 ? "start" : "between");
    if (share > 0.0 || !fs::exists(folder)) {
      write(share, folder);
    }
    return score_translations(folder, text, tokenization);
  }

 private:
  NamedArrays start_;
  LoadedModel end_;
  TemporaryFolder scratch_;
};

/// Opens both ends of the fine-tuning of a run.
ModelsBetween models_between(InitialWeights start, const Config& config) {
  const auto best = CheckpointDirectory(config.run_dir).resolve("best", Verify::kFull);
  auto end = load_model({&best, 1});
  const VocabularySizes sizes{.source = end.tokenizers.source.vocab_size(),
                              .target = end.tokenizers.target.vocab_size()};
  return {fit_weights(std::move(start.weights), end.config.model, sizes, start.origin, start.notes), std::move(end)};
}

/// Returns how many pairs of general text can be translated kTranslations times in the rest of the time, if
/// `translate_some` translates `some` of them.
std::size_t affordable_pairs(const RecipeRequest& request, const std::function<void()>& translate_some,
                             std::size_t some) {
  constexpr double kTranslations = 12.0;
  constexpr std::size_t kMost = 1000;
  const auto begin = std::chrono::steady_clock::now();
  translate_some();
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> taken = now - begin;
  const auto left = 60.0 * request.minutes.value_or(0.0) - std::chrono::duration<double>(now - request.begin).count();
  const auto pairs = static_cast<double>(some) * left / (kTranslations * std::max(taken.count(), 1e-3));
  return static_cast<std::size_t>(std::clamp(pairs, static_cast<double>(some), static_cast<double>(kMost)));
}

}  // namespace

fs::path finish_fine_tuning(const RecipeRequest& request, const Config& config) {
  constexpr std::size_t kSome = 50;
  constexpr auto kAll = std::numeric_limits<std::size_t>::max();
  const auto tokenization = config.training.bleu_tokenization;
  auto opened = open_start(request);
  const auto config_of_start = *opened.config;
  const auto models = models_between(std::move(opened), config);
  const auto bleu = [&](double share, const ScoredText& text) { return models.score(share, text, tokenization).bleu; };

  const auto& own_test = config.data.test.front();
  RunText run{.run_dir = config.run_dir,
              .text = {},
              .general = {},
              .clean = {},
              .languages = {.source = config.data.source_language, .target = config.data.target_language},
              .tagged = {.source = own_test.source_language, .target = own_test.target_language}};
  if (!request.general.empty()) {
    run.general = run.run_dir / kGeneralFolder;
  }
  const auto general = find_general_text(run, config_of_start);
  GuardedShare kept;
  if (general) {
    const auto some = read_scored_text(general->validation, kSome);
    const auto most = affordable_pairs(
        request, [&] { (void)bleu(0.0, some); }, some.sources.size());
    const auto validation = read_scored_text(general->validation, most);
    const auto start = bleu(0.0, validation);
    kept = guarded_share(start, kMostLoss, [&](double share) { return bleu(share, validation); });
    if (kept.share < 1.0) {
      log_info(fmt::format(
          "general text: BLEU on its validation set fell from {:.2f} to {:.2f}, by more than {:.1f}, so the result "
          "lies between the weights before and after the fine-tuning: {:.2f} of the latter, with a BLEU of {:.2f}",
          start, kept.end_bleu, kMostLoss, kept.share, kept.general_bleu));
    }
  }
  const auto result = config.run_dir / kFineTunedFolder;
  models.write(kept.share, result);
  const auto report = [&](const char* name, const ScoredText& text) {
    const auto after = score_translations(result, text, tokenization);
    const auto before = models.score(0.0, text, tokenization);
    log_info(fmt::format("test: {}: BLEU {:.2f} before, {:.2f} now; chrF {:.2f} before, {:.2f} now ({})", name,
                         before.bleu, after.bleu, before.chrf, after.chrf, counted(text.sources.size(), "pair")));
  };
  const auto own = read_scored_text({own_test}, kAll);
  report("your text", own);
  if (kept.share < 1.0) {
    log_info(
        fmt::format("test: your text: BLEU {:.2f} with all of the fine-tuning, as the best checkpoint of {} has it",
                    bleu(1.0, own), config.run_dir.string()));
  }
  if (general) {
    report("general text", read_scored_text(general->test, 1000));
  }
  return result;
}

}  // namespace translate::trainer
