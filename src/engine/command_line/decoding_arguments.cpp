#include "command_line/decoding_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

#include "config/enum_names.h"
#include "config/key_table.h"
#include "config/validate.h"
#include "corpora/corpus_reader.h"
#include "decoding/glossary_file.h"

namespace translate {

namespace {

constexpr const char* kCheckpointNames =
    "The model: latest, best, average or average:N (the mean of all, or the last N, checkpoints of the run), "
    "average-best or average-best:N (of those with the best validation scores), step-N, epoch-N (at the end of an "
    "epoch), one of these after RUN/, the path of a checkpoint, a MarianMT folder, a Marian folder or .zip, or a "
    "weights file (.safetensors, or PyTorch's .pt) with --config and --tokenizers";

/// Adds the options that belong to the name of a checkpoint.
void add_other_checkpoint_options(CLI::App& app, CheckpointOptions& options) {
  app.add_option("--config", options.config,
                 "For a weights file: its configuration (default: the sizes of the reference)")
      ->type_name("FILE");
  app.add_option(
         "--tokenizers", options.tokenizers,
         "For a weights file: its tokenizers, SentencePiece models or word-level JSON; a single file serves both sides")
      ->type_name("SOURCE,TARGET");
  app.add_option("--run-dir", options.run_dir,
                 "The run whose checkpoint is meant (default: the run under runs/ that was written last)")
      ->each([&options](const std::string& /*value*/) { options.chosen = true; })
      ->type_name("DIR");
}

}  // namespace

void add_checkpoint_options(CLI::App& app, CheckpointOptions& options) {
  app.add_option("--checkpoint", options.checkpoint,
                 std::string(kCheckpointNames) + "; several, A,B,C, form an ensemble")
      ->each([&options](const std::string& /*value*/) { options.chosen = true; })
      ->type_name("WHICH")
      ->capture_default_str();
  add_other_checkpoint_options(app, options);
}

void add_checkpoint_argument(CLI::App& app, CheckpointOptions& options) {
  app.add_option("CHECKPOINT", options.checkpoint, kCheckpointNames)->required();
  options.chosen = true;
  add_other_checkpoint_options(app, options);
}

CLI::Validator is_seed() {
  return CLI::Validator(
      [](const std::string& text) {
        std::uint64_t seed = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, seed);
        const bool is_right = error == std::errc() && rest == end;
        return is_right ? std::string()
                        : fmt::format("expected an integer from 0 to {}, got {}",
                                      std::numeric_limits<std::uint64_t>::max(), text);
      },
      "");
}

CLI::Validator number_from(double lowest, double highest) {
  const auto range = fmt::format("a number from {} to {}", lowest, highest);
  return CLI::Validator(
      [=](const std::string& text) {
        double value = 0.0;
        const bool is_right = CLI::detail::lexical_cast(text, value) && value >= lowest && value <= highest;
        return is_right ? std::string() : fmt::format("expected {}, got {}", range, text);
      },
      "");
}

namespace {

constexpr int kMostSubwords = 1 << 20;

template <typename To, typename From>
void set(To& option, const std::optional<From>& argument) {
  if (argument) {
    option = *argument;
  }
}

void add_search_options(CLI::App& app, DecodingArguments& arguments, const std::string& group) {
  app.add_option("--beam-size", arguments.beam_size, "Hypotheses kept at each step; 1 is greedy search")
      ->check(CLI::Range(1, kMostHypotheses))
      ->type_name("N")
      ->group(group);
  app.add_flag_callback(
         "--greedy", [&arguments] { arguments.beam_size = 1; }, "Greedy search: short for --beam-size 1")
      ->excludes("--beam-size")
      ->group(group);
  app.add_option("--length-penalty", arguments.length_penalty,
                 "Higher values favour longer translations; 0 compares plain log-probabilities")
      ->check(number_from(-10.0, 10.0))
      ->type_name("ALPHA")
      ->group(group);
  app.add_option("--length-penalty-kind", arguments.length_penalty_kind,
                 "The divisor of the log-probabilities: gnmt, ((5 + length) / 6)^ALPHA, or average, length^ALPHA")
      ->check(CLI::IsMember({"gnmt", "average"}))
      ->group(group);
  app.add_option("--max-length", arguments.max_length, "The most subwords of a translation")
      ->check(CLI::Range(1, kMostSubwords))
      ->type_name("N")
      ->group(group);
  app.add_option("--min-length", arguments.min_length, "The fewest subwords of a translation")
      ->check(CLI::Range(0, kMostSubwords))
      ->type_name("N")
      ->group(group);
  app.add_option("--no-repeat-ngram", arguments.no_repeat_ngram,
                 "No sequence of N subwords occurs twice in a translation; 0 allows any")
      ->check(CLI::Range(0, kMostSubwords))
      ->type_name("N")
      ->group(group);
  app.add_option("--repetition-penalty", arguments.repetition_penalty,
                 "Values above 1 make subwords that were already generated less likely")
      ->check(number_from(1e-3, 1e3))
      ->type_name("X")
      ->group(group);
  app.add_option("--batch-tokens", arguments.batch_tokens,
                 "The most source subwords in a batch, each counted once for each hypothesis of its sentence")
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N")
      ->group(group);
}

void add_shortlist_option(CLI::App& app, DecodingArguments& arguments, const std::string& group) {
  app.add_option(
         "--shortlist", arguments.shortlist,
         "A lexical shortlist, of translate-data shortlist or of Firefox (lex.*.s2t.bin): translations have only "
         "subwords that it lists for their source, which is faster with a large vocabulary; some of them change "
         "(docs/decoding.md)")
      ->type_name("FILE")
      ->group(group);
}

void add_sampling_options(CLI::App& app, DecodingArguments& arguments, const std::string& group) {
  app.add_flag("--sampling", arguments.sampling,
               "Draw translations from the model's probabilities instead of searching for the best")
      ->excludes("--beam-size")
      ->excludes("--greedy")
      ->group(group);
  app.add_option("--temperature", arguments.temperature,
                 "For sampling: the logits are divided by T; values below 1 favour likely subwords")
      ->check(number_from(1e-3, 1e3))
      ->type_name("T")
      ->group(group);
  app.add_option("--top-k", arguments.top_k,
                 "For sampling: draw among the K most likely subwords only; 0 draws among all")
      ->check(CLI::Range(0, kMostSubwords))
      ->type_name("K")
      ->group(group);
  app.add_option("--top-p", arguments.top_p,
                 "For sampling: draw among the fewest most likely subwords whose probabilities add up to P")
      ->check(number_from(1e-6, 1.0))
      ->type_name("P")
      ->group(group);
  app.add_option(
         "--epsilon", arguments.epsilon,
         "For sampling: draw only subwords of at least the probability E, or the most likely one; 0 draws among "
         "all")
      ->check(number_from(0.0, 1.0))
      ->type_name("E")
      ->group(group);
  app.add_option("--seed", arguments.seed, "For sampling: the seed; the same seed draws the same translations")
      ->check(is_seed())
      ->type_name("N")
      ->group(group);
}

}  // namespace

void add_decoding_options(CLI::App& app, DecodingArguments& arguments) {
  const std::string group = "Search (default: the model's configuration; see docs/decoding.md)";
  add_search_options(app, arguments, group);
  add_shortlist_option(app, arguments, group);
  add_sampling_options(app, arguments, group);
}

CLI::Option* add_target_language_option(CLI::App& app, std::string& code) {
  return app
      .add_option(kTargetLanguageOption, code,
                  "The language to translate into, for a model with several: its code, such as fr. A line that begins "
                  "with a tag such as >>de<< is translated into that language all the same")
      ->type_name("CODE");
}

void add_splitting_option(CLI::App& app, DecodingArguments& arguments) {
  app.add_flag(
      "--no-split", arguments.no_split,
      "Translate each line as it is, rather than sentence by sentence (default: the model's decoding.split_sentences)");
}

void add_raw_option(CLI::App& app, DecodingArguments& arguments, const std::string& default_value) {
  auto* raw = app.add_flag_callback(
      "--raw", [&arguments] { arguments.raw = true; },
      "Every byte of a translation is what the model generated: text without words is translated, not copied, white "
      "space around lines is lost, final stops and capital letters are the model's, and loops stay (docs/text.md; "
      "default: " +
          default_value + ")");
  app.add_flag_callback(
         "--no-raw", [&arguments] { arguments.raw = false; }, "The opposite of --raw")
      ->excludes(raw);
}

void add_keep_option(CLI::App& app, DecodingArguments& arguments) {
  app.add_option("--keep", arguments.keep,
                 "A file of terms, one a line, that translations keep as they are, such as names of products, besides "
                 "placeholders, URLs and the like, which they keep anyway (docs/text.md)")
      ->type_name("FILE")
      ->excludes("--raw");
}

std::shared_ptr<const KeptTerms> kept_terms(const DecodingArguments& arguments) {
  return arguments.keep.empty() ? nullptr : std::make_shared<const KeptTerms>(read_lines(arguments.keep));
}

void add_glossary_option(CLI::App& app, DecodingArguments& arguments) {
  app.add_option("--glossary", arguments.glossary,
                 "A file of terms, SOURCE<TAB>TARGET a line, or TBX (.tbx): where a text has a source term, its "
                 "translation must have the target term (docs/glossary.md)")
      ->type_name("FILE");
}

std::shared_ptr<const Glossary> glossary_of(const DecodingArguments& arguments, const LanguageCodes& languages) {
  return arguments.glossary.empty() ? nullptr : read_glossary(arguments.glossary, languages);
}

void apply_decoding_options(const DecodingArguments& arguments, Config& config) {
  auto& decoding = config.decoding;
  set(decoding.max_length, arguments.max_length);
  set(decoding.batch_tokens, arguments.batch_tokens);
  set(decoding.beam_size, arguments.beam_size);
  set(decoding.n_best, arguments.n_best);
  set(decoding.length_penalty, arguments.length_penalty);
  if (arguments.length_penalty_kind) {
    decoding.length_penalty_kind = *from_string<LengthPenaltyKind>(*arguments.length_penalty_kind);
  }
  set(decoding.min_length, arguments.min_length);
  set(decoding.no_repeat_ngram, arguments.no_repeat_ngram);
  set(decoding.repetition_penalty, arguments.repetition_penalty);
  if (arguments.beam_size) {  // a beam replaces the sampling of the model's configuration
    const DecodingOptions defaults;
    decoding.sampling = defaults.sampling;
    decoding.temperature = defaults.temperature;
    decoding.top_k = defaults.top_k;
    decoding.top_p = defaults.top_p;
    decoding.epsilon = defaults.epsilon;
  }
  decoding.sampling = decoding.sampling || arguments.sampling;
  set(decoding.temperature, arguments.temperature);
  set(decoding.top_k, arguments.top_k);
  set(decoding.top_p, arguments.top_p);
  set(decoding.epsilon, arguments.epsilon);
  set(decoding.seed, arguments.seed);
  if (decoding.sampling && !arguments.raw.value_or(true)) {
    throw ConfigError("--no-raw: samples are always raw");
  }
  if (decoding.sampling && !arguments.glossary.empty()) {
    throw ConfigError("--glossary: samples are drawn freely; use --beam-size N in place of sampling");
  }
  if (arguments.no_split) {
    decoding.split_sentences = SentenceSplitting::kOff;
  }
  validate_decoding(config);
}

}  // namespace translate
