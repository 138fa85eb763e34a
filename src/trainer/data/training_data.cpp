#include "data/training_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "config/enum_names.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/system/allocator.h"
#include "core/utf8.h"
#include "corpora/corpus_reader.h"
#include "corpora/public_corpora.h"
#include "corpora/text_splits.h"
#include "data/corpus_mixture.h"
#include "data/encoded/corpus_alignment.h"
#include "data/encoded/corpus_encoding.h"
#include "data/encoded/word_links.h"
#include "data/text_sample.h"
#include "languages/language_names.h"
#include "languages/language_tags.h"
#include "segments/stand_ins.h"
#include "segments/symbol_ids.h"
#include "segments/tag_symbols.h"
#include "segments/term_symbols.h"
#include "text/tokenizer_training.h"

namespace translate::trainer {

namespace fs = std::filesystem;

namespace {

bool is_missing(const fs::path& path) {
  std::error_code error;
  return !fs::exists(path, error) && (!error || error == std::errc::no_such_file_or_directory);
}

}  // namespace

void check_files_are_there(const DataOptions& data) {
  std::vector<fs::path> missing;
  for (const auto* corpora : {&data.train, &data.validation.files}) {
    for (const auto& files : *corpora) {
      for (const auto& path : {files.source, files.target, files.alignment}) {
        if (!path.empty() && is_missing(path)) {
          missing.push_back(path);
        }
      }
    }
  }
  if (missing.empty()) {
    return;
  }
  const auto others =
      missing.size() == 1 ? std::string() : fmt::format(" ({} files of the configuration are missing)", missing.size());
  throw DataError(fmt::format("cannot read {}: No such file or directory{}{}", missing.front().string(), others,
                              how_to_get(missing)));
}

namespace {

void log_left_out(const LeftOut& left_out, std::string_view reason, const Config& config) {
  if (left_out.count == 0) {
    return;
  }
  log_info(fmt::format("data: {} left out: {} (first: {})", counted(left_out.count, "training pair"), reason,
                       describe_origin(left_out.first, config.data.train)));
}

/// Throws DataError if no validation pair is left.
void check_validation(const EncodedCorpus& validation, const EncodingTask& task) {
  const LeftOut& left_out = validation.statistics().too_long;
  if (left_out.count == 0) {
    return;
  }
  const auto message =
      fmt::format("{} left out: a side of more than {} bytes (first: {})", counted(left_out.count, "validation pair"),
                  *task.max_bytes, describe_origin(left_out.first, task.files));
  if (validation.size() == 0) {
    throw DataError("data.validation: no pair is left to validate on: " + message);
  }
  log_warning("data: " + message);
}

/// Checks the sampling options now rather than at the first batch.
void check_sampling(const SamplingOptions& sampling, const TokenizerPair& tokenizers) {
  const SampleOptions options{.alpha = sampling.alpha, .nbest = sampling.nbest};
  if (sampling.source) {
    (void)tokenizers.source.encode_sampled("a", options, 0);
  }
  if (sampling.target) {
    (void)tokenizers.target.encode_sampled("a", options, 0);
  }
}

/// Symbols that a key of the configuration puts into the text.
struct TextSymbols {
  std::string_view key;
  std::string_view what;
  std::vector<std::string> symbols;
};

/// Returns what of a configuration puts symbols into the text.
std::vector<TextSymbols> symbols_in_text(const DataOptions& data) {
  const auto& modifiers = data.modifiers;
  std::vector<TextSymbols> found;
  if (modifiers.placeholders > 0.0) {
    found.push_back({.key = "data.modifiers.placeholders", .what = "placeholders", .symbols = placeholder_symbols()});
  }
  if (modifiers.tags > 0.0 || has_markup(data.train)) {
    found.push_back({.key = modifiers.tags > 0.0 ? "data.modifiers.tags" : "the `markup` of data.train",
                     .what = "tags",
                     .symbols = tag_symbols()});
  }
  if (modifiers.terms > 0.0) {
    found.push_back({.key = "data.modifiers.terms", .what = "terms", .symbols = term_symbols()});
  }
  return found;
}

/// Checks that the vocabularies have what is put into the text.
void check_symbols(const DataOptions& data, const TokenizerPair& tokenizers) {
  for (const auto& [key, what, symbols] : symbols_in_text(data)) {
    for (const auto& [side, tokenizer] :
         {std::pair("source", &tokenizers.source), std::pair("target", &tokenizers.target)}) {
      if (!symbol_ids(*tokenizer, symbols)) {
        throw ConfigError(
            fmt::format("{}: the {} tokenizer lacks the symbols {} to {}, which stand for {}: leave the tokenizer to "
                        "the training, build it with them (spm_train --user_defined_symbols={}), or do without {}",
                        key, side, symbols.front(), symbols.back(), what, fmt::join(symbols, ","), key));
      }
    }
  }
}

DataStatistics describe(const EncodedCorpus& train, const EncodedCorpus* validation) {
  const CorpusStatistics& found = train.statistics();
  DataStatistics statistics;
  statistics.train_pairs = static_cast<std::int64_t>(found.pairs);
  statistics.blank = found.blank;
  statistics.too_long = found.too_long;
  statistics.uneven = found.uneven;
  statistics.empty = found.empty;
  statistics.longest_source = found.longest_source;
  statistics.longest_target = found.longest_target;
  statistics.train_source_tokens = found.source_subwords + statistics.train_pairs;
  statistics.train_target_tokens = found.target_subwords + statistics.train_pairs;
  if (validation != nullptr) {
    statistics.validation_pairs = static_cast<std::int64_t>(validation->statistics().pairs);
    statistics.longest_validation_source = validation->statistics().longest_source;
    statistics.longest_validation_target = validation->statistics().longest_target;
  }
  return statistics;
}

void report(const DataStatistics& statistics, const Config& config) {
  log_left_out(statistics.blank, "an empty or blank side", config);
  log_left_out(statistics.too_long, fmt::format("longer than {} subwords", config.data.max_length), config);
  log_left_out(statistics.uneven, fmt::format("lengths differ by more than {} times", config.data.max_length_ratio),
               config);
  log_left_out(statistics.empty, "no subword on one side", config);
  log_info(fmt::format("data: {}, {} source and {} target tokens (eos counted); {}",
                       counted(statistics.train_pairs, "training pair"), statistics.train_source_tokens,
                       statistics.train_target_tokens, counted(statistics.validation_pairs, "validation pair")));
  log_info(fmt::format("data: longest source {} subwords, longest target {} subwords{}", statistics.longest_source,
                       statistics.longest_target,
                       statistics.validation_pairs == 0
                           ? ""
                           : fmt::format(" (validation: {} and {})", statistics.longest_validation_source,
                                         statistics.longest_validation_target)));
}

/// Warns if a vocabulary does not fit the training text, as that of a model for other languages (--init). A word-level
/// one leaves out rare words on purpose.
void warn_of_unknown_subwords(const EncodedCorpus& train, const TokenizerPair& tokenizers) {
  constexpr double kMost = 0.01;
  const auto check = [&](const char* name, Side side, const Tokenizer& tokenizer) {
    if (tokenizer.is_word_level()) {
      return;
    }
    const double share = share_of_unknown_subwords(train, side, tokenizer);
    if (share <= kMost) {
      return;
    }
    log_warning(
        fmt::format("data: {:.1f} % of the {} subwords of the training text are unknown: the tokenizer has none for "
                    "this text (translate-train --lint lists what it lacks)",
                    100.0 * share, name));
  };
  check("source", Side::kSource, tokenizers.source);
  check("target", Side::kTarget, tokenizers.target);
}

/// Reports how often the pairs of each corpus are drawn, if some are drawn more often than others.
void report_mixture(const EncodedCorpus& train, const Config& config) {
  const MixtureOptions options = mixture_options(config.data);
  const std::vector<std::uint64_t> pairs_of_files = train.pairs_of_files();
  const std::vector<double> draws = CorpusMixture(options, pairs_of_files).mean_draws();
  std::size_t file = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const std::size_t first = file;
    std::uint64_t pairs = 0;
    for (; file < first + options.corpora[i].files; ++file) {
      pairs += pairs_of_files[file];
    }
    log_info(fmt::format("data: an epoch draws {:.0f} times from the {} of {}{} ({:.1f} % of the epoch)", draws[i],
                         counted(pairs, "pair"), config.data.train[first].source.string(),
                         file - first == 1 ? "" : fmt::format(" and {} more", file - first - 1),
                         100.0 * draws[i] / static_cast<double>(std::max<std::size_t>(train.size(), 1))));
  }
}

void before_writing(const DataFolders& folders) {
  if (folders.before_writing) {
    folders.before_writing();
  }
}

/// Describes the modifiers that change the text of tokenizers (modify_sample).
std::string describe(const ModifierOptions& modifiers) {
  return fmt::format("upper {}, title {}, lower {}, final {}, noise {}", modifiers.upper_case, modifiers.title_case,
                     modifiers.lower_case, modifiers.final_punctuation, modifiers.noise);
}

TokenizerPair make_tokenizers(const Config& config, const CheckedText& text, const DataFolders& folders) {
  HeldOutShare share = held_out_share(config, text.lines() - text.blank());
  // The tutorials whose recipe this is build their vocabularies before they divide the pairs (docs/pytorch.md).
  if (config.tokenizer.type == TokenizerType::kWordLevel) {
    share.fraction = 0.0;
  }
  std::string fingerprint = text.fingerprint();
  if (share.fraction > 0) {
    fingerprint += fmt::format(" without {} by seed {}", share.fraction, share.seed);
  }
  const ModifierOptions& modifiers = config.data.modifiers;
  if (modifiers.are_on()) {
    fingerprint += fmt::format(" modified: {}", describe(modifiers));
  }
  if (has_markup(config.data.train)) {
    fingerprint += " with markup";
    for (const auto& files : config.data.train) {
      fingerprint += fmt::format(" {}", to_string(files.markup));
    }
  }
  const auto read_text = [&] {
    SelectedPairs pairs(config.data.train, Selection::kTraining, share);
    TokenizerText sample = read_text_sample(pairs);
    modify_sample(sample, modifiers, language_codes(config.data));
    return sample;
  };
  TokenizerInputs inputs{.text = fingerprint, .read_text = read_text, .tags = language_tags(config.data)};
  for (const auto& [key, what, symbols] : symbols_in_text(config.data)) {
    inputs.symbols.insert(inputs.symbols.end(), symbols.begin(), symbols.end());
  }
  return get_or_build_tokenizer(config.tokenizer, inputs, folders.tokenizers, folders.before_writing);
}

/// Returns the approximate number of held-out pairs.
std::uint64_t held_out_pairs(const HeldOutShare& share) {
  return static_cast<std::uint64_t>(share.fraction * static_cast<double>(share.pairs));
}

EncodingTask training_task(const Config& config, const CheckedText& text, const TokenizerPair& tokenizers) {
  const HeldOutShare share = held_out_share(config, text.lines() - text.blank());
  const bool needs_text = has_modifiers(config) || has_alignments(config.data.train);
  return {
      .name = "training",
      .files = config.data.train,
      .selection = Selection::kTraining,
      .share = share,
      .tokenizers = tokenizers,
      .limits = LengthLimits{.max_length = config.data.max_length, .max_length_ratio = config.data.max_length_ratio},
      .source_text = config.tokenizer.sampling.source || needs_text,
      .target_text = config.tokenizer.sampling.target || needs_text,
      .source_words = true,
      .pairs = share.pairs - held_out_pairs(share),
      .text = text.fingerprint()};
}

/// Returns the task of encoding the validation lines, with their text, except lines of megabytes; nothing without
/// validation.
std::optional<EncodingTask> validation_task(const Config& config, const TrainingText& text,
                                            const TokenizerPair& tokenizers) {
  const bool held_out = config.data.validation.fraction > 0;
  if (!held_out && config.data.validation.files.empty()) {
    return std::nullopt;
  }
  EncodingTask task = training_task(config, held_out ? text.train : text.validation, tokenizers);
  task.name = "validation";
  task.limits = std::nullopt;
  task.max_bytes = most_bytes(config.data.max_length);
  task.source_text = true;
  task.target_text = true;
  task.source_words = false;
  if (held_out) {
    task.selection = Selection::kHeldOut;
    task.pairs = held_out_pairs(task.share);
  } else {
    task.selection = Selection::kAll;
    task.pairs = text.validation.lines();
    task.files = config.data.validation.files;
    task.share = {};
  }
  return task;
}

/// Loads or encodes pairs. In a folder for several runs, each file is named after its inputs.
std::shared_ptr<const EncodedCorpus> encoded_pairs(const EncodingTask& task, const Config& config,
                                                   const DataFolders& folders) {
  const std::string name = config.data.cache_dir.empty()
                               ? task.name + ".pairs"
                               : fmt::format("{}-{:08x}.pairs", task.name, crc32(describe_task(task)));
  return get_or_encode_corpus(task, folders.corpus / name,
                              folders.scratch.empty() ? folders.scratch : folders.scratch / name);
}

/// Loads or makes the links of the training pairs, beside them; nothing if the configuration does not ask for them.
std::shared_ptr<const CorpusLinks> training_links(const EncodedCorpus& train, const CheckedText& text,
                                                  const TokenizerPair& tokenizers, const Config& config,
                                                  const DataFolders& folders) {
  if (config.training.guided_alignment == GuidedAlignment::kOff && !config.data.modifiers.need_links()) {
    return nullptr;
  }
  const std::string name =
      config.data.cache_dir.empty() ? "training.links" : fmt::format("training-{:08x}.links", crc32(train.made_from()));
  const auto file = folders.corpus / name;
  const auto scratch = folders.scratch.empty() ? folders.scratch : folders.scratch / name;
  if (has_alignments(config.data.train)) {
    return get_or_convert_links({.corpus = train, .tokenizers = tokenizers, .files = config.data.train, .text = text},
                                file, scratch);
  }
  return get_or_align_corpus(train, file, scratch);
}

ParallelCorpus text_of(const EncodedCorpus& corpus) {
  ParallelCorpus text;
  for (std::size_t pair = 0; pair < corpus.size(); ++pair) {
    text.source.push_back(corpus.text(Side::kSource, pair));
    text.target.push_back(corpus.text(Side::kTarget, pair));
    text.origin.push_back(corpus.origin(pair));
  }
  return text;
}

/// Throws DataError if no pair of files has two different sides, and warns of those that do not: a model that is
/// trained on them learns to copy. Empty files are equal without being copies.
void check_sides(const std::vector<CorpusSum>& corpora, std::string_view key) {
  const auto is_copy = [](const CorpusSum& corpus) {
    return corpus.source.size > 0 && corpus.source.has_content_of(corpus.target);
  };
  const auto copies = std::ranges::count_if(corpora, is_copy);
  if (copies == 0) {
    return;
  }
  const auto& [source, target] = *std::ranges::find_if(corpora, is_copy);
  const auto message =
      source.path == target.path
          ? fmt::format("{}: {} is both source and target", key, source.path.string())
          : fmt::format("{}: {} and {} have the same content", key, source.path.string(), target.path.string());
  if (copies == std::ssize(corpora)) {
    throw DataError(
        fmt::format("{}: a model would learn to copy. Expected two text files, where line N of one is the translation "
                    "of line N of the other; make one file of each column of a table (of FILE.tsv: cut -f 1 FILE.tsv)",
                    message));
  }
  log_warning(message + ": the model also learns to copy");
}

}  // namespace

DataFolders data_folders(const Config& config, const std::filesystem::path& run_dir) {
  return {.tokenizers = run_dir / "tokenizers",
          .corpus = config.data.cache_dir.empty() ? run_dir / "corpus" : config.data.cache_dir,
          .scratch = {},
          .before_writing = {}};
}

namespace {

/// Warns of validation files from which nothing can be learned. Throws DataError if only validations would end the run
/// and there is nothing to validate on.
void check_validation_text(const Config& config, const CheckedText& text) {
  const auto& training = config.training;
  if (config.data.validation.files.empty() || text.lines() > text.blank()) {
    return;
  }
  if (text.lines() > 0) {
    log_warning(
        fmt::format("data.validation: all of its {} have an empty or blank side, so that validations say nothing",
                    counted(text.lines(), "pair")));
    return;
  }
  if (training.patience > 0 && training.max_steps == 0 && training.max_epochs == 0 && training.max_minutes == 0) {
    throw DataError(
        "data.validation: its files hold no line, and training.patience, which counts validations, is the only limit: "
        "the run would never end; give validation pairs or another limit (max_steps, max_epochs or max_minutes)");
  }
  log_warning("data.validation: its files hold no line, so that nothing is validated and no checkpoint is the best");
}

}  // namespace

TrainingText check_training_text(const Config& config, const DataFolders& folders) {
  check_files_are_there(config.data);
  TrainingText text{.record = TextRecord(folders.corpus / "text.json"), .train = {}, .validation = {}};
  text.train = text.record.check(config.data.train);
  const std::uint64_t pairs = text.train.lines() - text.train.blank();
  if (pairs == 0) {
    throw DataError(fmt::format("data.train: no pair to train on (left out: {} with an empty or blank side)",
                                counted(text.train.blank(), "pair")));
  }
  check_held_out(held_out_share(config, pairs));
  text.validation = text.record.check(config.data.validation.files);
  check_sides(sums_of(text.train), "data.train");
  check_sides(sums_of(text.validation), "data.validation");
  check_validation_text(config, text.validation);
  return text;
}

TrainingData prepare_training_data(const Config& config, const TrainingText& text, const DataFolders& folders,
                                   std::optional<TokenizerPair> given) {
  before_writing(folders);
  if (folders.scratch.empty()) {
    text.record.save();
  }
  TokenizerPair tokenizers = given ? std::move(*given) : make_tokenizers(config, text.train, folders);
  give_back_freed_memory();  // building tokenizers needs far more memory than training
  check_sampling(config.tokenizer.sampling, tokenizers);
  check_symbols(config.data, tokenizers);
  check_language_tags(config.data, tokenizers.source);

  before_writing(folders);
  auto train = encoded_pairs(training_task(config, text.train, tokenizers), config, folders);
  std::shared_ptr<const EncodedCorpus> validation;
  if (const auto task = validation_task(config, text, tokenizers)) {
    validation = encoded_pairs(*task, config, folders);
    check_validation(*validation, *task);
  }
  const DataStatistics statistics = describe(*train, validation.get());
  report(statistics, config);
  warn_of_unknown_subwords(*train, tokenizers);
  report_mixture(*train, config);
  if (train->size() == 0) {
    throw DataError(fmt::format(
        "data.train: no pair is left to train on: {} longer than data.max_length {}, {} beyond "
        "data.max_length_ratio {}",
        statistics.too_long.count, config.data.max_length, statistics.uneven.count, config.data.max_length_ratio));
  }
  auto links = training_links(*train, text.train, tokenizers, config, folders);
  ParallelCorpus validation_text = validation ? text_of(*validation) : ParallelCorpus{};
  return {.tokenizers = std::move(tokenizers),
          .train = std::move(train),
          .validation = std::move(validation),
          .validation_text = std::move(validation_text),
          .statistics = statistics,
          .sums = {.train = sums_of(text.train),
                   .validation = sums_of(text.validation),
                   .test = sums_of_files(config.data.test)},
          .links = std::move(links)};
}

TrainingData load_training_data(const Config& config, const DataFolders& folders) {
  return prepare_training_data(config, check_training_text(config, folders), folders);
}

std::string describe_training_pair(const TrainingData& data, const Config& config, std::int64_t index) {
  return describe_origin(data.train->origin(static_cast<std::size_t>(index)), config.data.train);
}

}  // namespace translate::trainer
