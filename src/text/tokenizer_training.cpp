#include "text/tokenizer_training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "config/enum_names.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/process.h"
#include "core/utf8.h"
#include "text/word_level_training.h"

namespace translate {

namespace {

/// Hands SentencePiece the sentences of several texts, one after the other, without copying them.
class SentencesOfTexts : public sentencepiece::SentenceIterator {
 public:
  explicit SentencesOfTexts(const std::vector<std::span<const std::string>>& texts) : texts_(texts) { skip_ended(); }

  [[nodiscard]] bool done() const override { return text_ == texts_.size(); }
  void Next() override {
    ++sentence_;
    skip_ended();
  }
  [[nodiscard]] const std::string& value() const override { return texts_[text_][sentence_]; }
  [[nodiscard]] sentencepiece::util::Status status() const override { return {}; }

 private:
  void skip_ended() {
    while (text_ < texts_.size() && sentence_ == texts_[text_].size()) {
      ++text_;
      sentence_ = 0;
    }
  }

  const std::vector<std::span<const std::string>>& texts_;
  std::size_t text_ = 0;
  std::size_t sentence_ = 0;
};

/// The arguments of SentencePiece's trainer, whose names of types and normalisations are those of the configuration.
std::unordered_map<std::string, std::string> trainer_arguments(const TokenizerOptions& options,
                                                               const std::vector<std::string>& tags) {
  return {
      {"model_type", to_string(options.type)},
      {"vocab_size", std::to_string(options.vocab_size)},
      {"hard_vocab_limit", "false"},  // a text that yields fewer subwords is not an error
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"normalization_rule_name", to_string(options.normalization)},
      {"remove_extra_whitespaces", options.normalization == Normalization::kIdentity ? "false" : "true"},
      {"split_by_unicode_script", options.pretokenized ? "false" : "true"},
      {"split_by_number", options.pretokenized ? "false" : "true"},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "3"},
      {"control_symbols", fmt::format("{}", fmt::join(tags, ","))},
      {"max_sentence_length", std::to_string(1 << 30)},  // the largest value; longer lines would be skipped
      {"num_threads", "16"},  // affects the result (sums are per thread), so it does not depend on the machine
      {"minloglevel", "3"},   // silent: errors are returned as a status
  };
}

constexpr std::string_view kFault = "fault: ";  // no model begins like this: it is a protocol buffer

/// Returns the model's bytes, or kFault and the reason for the failure. To be called in a child process: SentencePiece
/// starts threads, and if one of them runs out of memory, its exception ends the process.
std::string train_model(const TokenizerOptions& options, const std::vector<std::span<const std::string>>& texts,
                        const std::vector<std::string>& tags) {
  SentencesOfTexts sentences(texts);
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(trainer_arguments(options, tags), &sentences, &model);
  return status.ok() ? model : std::string(kFault) + status.message();
}

void check_text(const std::vector<std::span<const std::string>>& texts) {
  const auto has_text = [](std::span<const std::string> text) {
    return std::any_of(text.begin(), text.end(), [](const std::string& sentence) { return !is_blank(sentence); });
  };
  if (std::none_of(texts.begin(), texts.end(), has_text)) {
    throw DataError("cannot train a tokenizer: the training text has no sentence");
  }
}

/// Names the subwords that a vocabulary has beside those of the text.
std::string describe_special(const TokenizerOptions& options, std::size_t tags) {
  return fmt::format("4 special tokens{}{}", tags == 0 ? "" : fmt::format(", {} language tags", tags),
                     options.byte_fallback ? " and 256 bytes" : "");
}

/// Describes why SentencePiece could not train a model, in terms of the configuration.
std::string describe_failure(const TokenizerOptions& options, std::size_t tags, std::string_view message) {
  // "./src/x.cc(580) [condition] Vocabulary size is smaller than required_chars. 5 vs 70. Increase ..."
  constexpr std::string_view kTooSmall = "smaller than required_chars. ";
  constexpr std::string_view kVersus = " vs ";
  const auto too_small = message.find(kTooSmall);
  const auto versus = too_small == std::string_view::npos ? too_small : message.find(kVersus, too_small);
  if (versus != std::string_view::npos) {
    const auto needed = message.substr(versus + kVersus.size());
    return fmt::format(
        "tokenizer.vocab_size is {}, but this text needs at least {}: one subword for each of its characters "
        "(tokenizer.character_coverage {}) and for {}; raise it, or lower tokenizer.character_coverage",
        options.vocab_size, needed.substr(0, needed.find_first_not_of("0123456789")), options.character_coverage,
        describe_special(options, tags));
  }
  const auto condition = message.rfind("] ");
  return fmt::format("tokenizer: no {} model with tokenizer.vocab_size {} can be trained on this text: {}",
                     to_string(options.type), options.vocab_size,
                     condition == std::string_view::npos ? message : message.substr(condition + 2));
}

}  // namespace

Tokenizer train_tokenizer(const TokenizerOptions& options, const std::vector<std::span<const std::string>>& texts,
                          const std::vector<std::string>& tags) {
  check_text(texts);
  const std::string name = to_string(options.type);
  // A smaller vocabulary cannot hold even the special subwords and the bytes, which SentencePiece reports as an
  // internal error.
  const std::int64_t smallest = (options.byte_fallback ? 4 + 256 : 4) + std::ssize(tags);
  // SentencePiece counts in 32 bits, and prunes a unigram model down to 1.1 times the size, which must not overflow:
  // it would never end.
  constexpr std::int64_t kLargest = 1'000'000'000;
  if (options.vocab_size < smallest || options.vocab_size > kLargest) {
    throw ConfigError(fmt::format("tokenizer.vocab_size is {}: expected {} ({}) to {}", options.vocab_size, smallest,
                                  describe_special(options, tags.size()), kLargest));
  }
  const bool is_word_level = options.type == TokenizerType::kWordLevel;
  std::string model =
      is_word_level ? train_word_level(options, texts, tags)
                    : in_child_process("training the tokenizer", [&] { return train_model(options, texts, tags); });
  if (model.starts_with(kFault)) {
    throw ConfigError(describe_failure(options, tags.size(), std::string_view(model).substr(kFault.size())));
  }
  Tokenizer tokenizer = Tokenizer::from_serialized(std::move(model), fmt::format("the {} model just built", name));
  if (tokenizer.vocab_size() < options.vocab_size && !is_word_level) {
    log_warning(
        fmt::format("tokenizer: the text yields only {} {} subwords, fewer than tokenizer.vocab_size {}; using {}",
                    tokenizer.vocab_size(), name, options.vocab_size, tokenizer.vocab_size()));
  }
  return tokenizer;
}

namespace {

/// Describes everything that the models depend on, one setting per line.
std::string describe_inputs(const TokenizerOptions& options, const TokenizerInputs& inputs) {
  return fmt::format(
      "type {}\nvocab_size {}\nshared {}\ncharacter_coverage {}\nbyte_fallback {}\nnormalization {}\n{}{}{}text {}\n",
      to_string(options.type), options.vocab_size, options.shared, options.character_coverage, options.byte_fallback,
      to_string(options.normalization),
      // Models made before these options existed stay valid.
      options.pretokenized ? "pretokenized\n" : "",
      options.type == TokenizerType::kWordLevel ? fmt::format("min_frequency {}\n", options.min_frequency) : "",
      inputs.tags.empty() ? "" : fmt::format("tags {}\n", fmt::join(inputs.tags, " ")), inputs.text);
}

std::string describe_models(std::string_view source, std::string_view target) {
  return fmt::format("source_model {:08x}\ntarget_model {:08x}\n", crc32(source), crc32(target));
}

struct CachePaths {
  CachePaths(const std::filesystem::path& folder, const char* extension)
      : source(folder / fmt::format("source{}", extension)),
        target(folder / fmt::format("target{}", extension)),
        fingerprint(folder / "fingerprint.txt") {}

  std::filesystem::path source;
  std::filesystem::path target;
  std::filesystem::path fingerprint;
};

CachePaths cache_paths(const std::filesystem::path& folder, TokenizerType type) {
  return {folder, type == TokenizerType::kWordLevel ? kWordLevelExtension : kSentencePieceExtension};
}

/// Loads the cached models; nothing if they are missing, damaged, or made from other inputs.
std::optional<TokenizerPair> read_cache(const CachePaths& paths, const std::string& inputs) {
  std::error_code ignored;
  for (const auto& path : {paths.source, paths.target, paths.fingerprint}) {
    if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  }
  std::string source = read_file(paths.source);
  std::string target = read_file(paths.target);
  if (read_file(paths.fingerprint) != inputs + describe_models(source, target)) return std::nullopt;
  return TokenizerPair{Tokenizer::from_serialized(std::move(source), paths.source.string()),
                       Tokenizer::from_serialized(std::move(target), paths.target.string())};
}

/// The fingerprint, which names the checksums of both models, is written last: an earlier crash leaves a mismatch.
void write_cache(const CachePaths& paths, const std::string& inputs, const TokenizerPair& pair) {
  const auto folder = paths.source.parent_path();
  make_folder(folder);
  // Models of the other kind, of a former configuration, would be taken for those of this one.
  for (const char* extension : {kSentencePieceExtension, kWordLevelExtension}) {
    const CachePaths others(folder, extension);
    if (others.source == paths.source) continue;
    for (const auto& path : {others.source, others.target}) {
      std::error_code error;
      std::filesystem::remove(path, error);
      if (error) throw RuntimeError(fmt::format("cannot delete {}: {}", path.string(), error.message()));
    }
  }
  write_file_atomically(paths.source, pair.source.serialized());
  write_file_atomically(paths.target, pair.target.serialized());
  write_file_atomically(paths.fingerprint,
                        inputs + describe_models(pair.source.serialized(), pair.target.serialized()));
}

}  // namespace

TokenizerPair train_tokenizers(const TokenizerOptions& options, const TokenizerText& text,
                               const std::vector<std::string>& tags) {
  const std::string type = to_string(options.type);
  if (options.shared) {
    log_info(
        fmt::format("tokenizer: training one {} model on {} sentences", type, text.source.size() + text.target.size()));
    Tokenizer tokenizer = train_tokenizer(options, {text.source, text.target}, tags);
    return {tokenizer.for_sources(options.source_sos), tokenizer};
  }
  log_info(fmt::format("tokenizer: training two {} models on {} sentences each", type, text.source.size()));
  Tokenizer source_tokenizer = train_tokenizer(options, {text.source}, tags);
  return {source_tokenizer.for_sources(options.source_sos), train_tokenizer(options, {text.target})};
}

ModelPaths ready_models(const TokenizerOptions& options) {
  return {.source = options.source_model.empty() ? options.target_model : options.source_model,
          .target = options.target_model.empty() ? options.source_model : options.target_model};
}

namespace {

Tokenizer load_ready(const std::filesystem::path& model, const std::filesystem::path& vocabulary) {
  return vocabulary.empty() ? Tokenizer::load(model) : Tokenizer::load(model, vocabulary);
}

}  // namespace

TokenizerPair load_ready_tokenizers(const TokenizerOptions& options) {
  const bool both = !options.source_model.empty() && !options.target_model.empty();
  if (!both && !options.shared) {
    throw ConfigError(fmt::format("tokenizer.{} is missing: give both models, or one with \"shared\": true",
                                  options.source_model.empty() ? "source_model" : "target_model"));
  }
  const auto [source_path, target_path] = ready_models(options);
  const auto& source_vocabulary = options.source_vocabulary;
  const auto& target_vocabulary = options.target_vocabulary.empty() ? source_vocabulary : options.target_vocabulary;
  Tokenizer source = load_ready(source_path, source_vocabulary);
  Tokenizer target = source_path == target_path && source_vocabulary == target_vocabulary
                         ? source
                         : load_ready(target_path, target_vocabulary);
  return {source.for_sources(options.source_sos), std::move(target)};
}

std::optional<TokenizerPair> built_tokenizers(const std::filesystem::path& cache_dir) {
  std::error_code ignored;
  for (const char* extension : {kSentencePieceExtension, kWordLevelExtension}) {
    const CachePaths paths(cache_dir, extension);
    if (std::filesystem::is_regular_file(paths.source, ignored) &&
        std::filesystem::is_regular_file(paths.target, ignored)) {
      return TokenizerPair{Tokenizer::load(paths.source), Tokenizer::load(paths.target)};
    }
  }
  return std::nullopt;
}

TokenizerPair get_or_build_tokenizer(const TokenizerOptions& options, const TokenizerInputs& inputs,
                                     const std::filesystem::path& cache_dir,
                                     const std::function<void()>& before_writing) {
  if (!options.source_model.empty() || !options.target_model.empty()) {
    auto ready = load_ready_tokenizers(options);
    const auto files = ready_models(options);
    log_info(fmt::format("tokenizer: using {} ({} subwords) and {} ({} subwords)", files.source.string(),
                         ready.source.vocab_size(), files.target.string(), ready.target.vocab_size()));
    return ready;
  }
  const CachePaths paths = cache_paths(cache_dir, options.type);
  const std::string description = describe_inputs(options, inputs);
  if (auto cached = read_cache(paths, description)) {
    log_info(fmt::format("tokenizer: using the {} model in {} again (same text and settings)", to_string(options.type),
                         cache_dir.string()));
    return {cached->source.for_sources(options.source_sos), cached->target};
  }
  TokenizerPair pair = train_tokenizers(options, inputs.read_text(), inputs.tags);
  if (before_writing) before_writing();
  write_cache(paths, description, pair);
  log_info(fmt::format("tokenizer: {} source and {} target subwords, written to {}", pair.source.vocab_size(),
                       pair.target.vocab_size(), cache_dir.string()));
  return pair;
}

}  // namespace translate
