#include "text/tokenizer_training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "config/enum_names.h"
#include "core/child_process.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/utf8.h"
#include "text/character_map.h"
#include "text/normalization.h"
#include "text/protocol_buffer.h"
#include "text/sentencepiece_file.h"
#include "text/word_level_training.h"

namespace translate {

namespace {

/// Sentences, and the normalisation of their side.
struct NormalizedText {
  std::span<const std::string> sentences;
  Normalization normalization = Normalization::kNmtNfkc;
};

/// Hands SentencePiece the sentences of several texts, one after the other, with the characters that their rules leave.
class SentencesOfTexts : public sentencepiece::SentenceIterator {
 public:
  /// `rules`: those of each text. Both must outlive it.
  SentencesOfTexts(const std::vector<NormalizedText>& texts, const std::vector<CharacterMap>& rules)
      : texts_(texts), rules_(rules) {
    read_value();
  }

  [[nodiscard]] bool done() const override { return text_ == texts_.size(); }
  void Next() override {
    ++sentence_;
    read_value();
  }
  [[nodiscard]] const std::string& value() const override { return value_; }
  [[nodiscard]] sentencepiece::util::Status status() const override { return {}; }

 private:
  void read_value() {
    while (text_ < texts_.size() && sentence_ == texts_[text_].sentences.size()) {
      ++text_;
      sentence_ = 0;
    }
    if (!done()) {
      value_ = rules_[text_].apply(texts_[text_].sentences[sentence_]);
    }
  }

  const std::vector<NormalizedText>& texts_;
  const std::vector<CharacterMap>& rules_;
  std::size_t text_ = 0;
  std::size_t sentence_ = 0;
  std::string value_;
};

/// The subwords that a vocabulary has whatever the text is, beside the special ones.
struct GivenSubwords {
  std::vector<std::string> tags;     ///< control symbols
  std::vector<std::string> symbols;  ///< user-defined symbols
};

bool removes_extra_spaces(Normalization normalization) { return normalization != Normalization::kIdentity; }

/// The arguments of SentencePiece's trainer, whose names of types are those of the configuration. The text comes
/// normalised, except for its spaces.
std::unordered_map<std::string, std::string> trainer_arguments(const TokenizerOptions& options,
                                                               const std::vector<NormalizedText>& texts,
                                                               const GivenSubwords& given) {
  const bool removes_spaces = std::ranges::all_of(texts, removes_extra_spaces, &NormalizedText::normalization);
  return {
      {"model_type", to_string(options.type)},
      {"vocab_size", std::to_string(options.vocab_size)},
      {"hard_vocab_limit", "false"},  // a text that yields fewer subwords is not an error
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"normalization_rule_name", "identity"},
      {"remove_extra_whitespaces", removes_spaces ? "true" : "false"},
      {"split_by_unicode_script", options.pretokenized ? "false" : "true"},
      {"split_by_number", options.pretokenized ? "false" : "true"},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "3"},
      {"control_symbols", fmt::format("{}", fmt::join(given.tags, ","))},
      {"user_defined_symbols", fmt::format("{}", fmt::join(given.symbols, ","))},
      {"max_sentence_length", std::to_string(1 << 30)},  // the largest value; longer lines would be skipped
      {"num_threads", "16"},  // affects the result (sums are per thread), so it does not depend on the machine
      {"minloglevel", "3"},   // silent: errors are returned as a status
  };
}

constexpr std::string_view kFault = "fault: ";  // no model begins like this: it is a protocol buffer
constexpr std::uint64_t kModelField = 1;        // of the message that holds the models, one for each text

/// Returns the rules of a normalisation, those of SentencePiece from a model that has them, which a child process
/// trains (see train_models).
CharacterRules character_rules(Normalization normalization) {
  if (normalization == Normalization::kIdentity) {
    return {};
  }
  if (normalization == Normalization::kNfc) {
    return nfc_rules();
  }
  const auto model = in_child_process("reading the rules of SentencePiece's normaliser", [&] {
    const std::vector<std::string> text{"a"};
    const std::vector<NormalizedText> texts{{.sentences = text, .normalization = normalization}};
    const std::vector<CharacterMap> none{CharacterMap("")};
    SentencesOfTexts sentences(texts, none);
    TokenizerOptions smallest;
    smallest.type = TokenizerType::kChar;
    auto arguments = trainer_arguments(smallest, texts, {});
    arguments["normalization_rule_name"] = to_string(normalization);
    std::string trained;
    const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &sentences, &trained);
    if (!status.ok()) {
      throw RuntimeError(fmt::format("SentencePiece: {}", status.message()));
    }
    return trained;
  });
  const auto file = parse_sentencepiece_file(model);
  if (!file) {
    throw RuntimeError("SentencePiece has made a model that cannot be read");
  }
  return CharacterMap(file->character_map).rules();
}

/// Returns the compiled rules of a side, with or without default-ignorable characters; of these, `joiners` may stay. A
/// process compiles the same rules once, because that takes some tenths of a second.
const std::string& compiled_rules(Normalization normalization, IgnorableCharacters ignorable,
                                  std::u32string_view joiners) {
  static std::mutex mutex;
  static std::map<std::tuple<Normalization, IgnorableCharacters, std::u32string>, std::string> compiled;
  const bool keeps = ignorable == IgnorableCharacters::kKeep;
  const std::tuple key(normalization, ignorable, keeps ? std::u32string() : std::u32string(joiners));
  const std::scoped_lock lock(mutex);
  if (const auto found = compiled.find(key); found != compiled.end()) {
    return found->second;
  }
  const auto rules = character_rules(normalization);
  return compiled.emplace(key, compile_rules(keeps ? rules : without_ignorable(rules, joiners))).first->second;
}

/// Returns the joiners that occur in the texts.
std::u32string joiners_in(const std::vector<NormalizedText>& texts) {
  std::u32string found;
  for (const char32_t joiner : kJoiners) {
    const auto has_joiner = [bytes = encode_utf8({&joiner, 1})](const std::string& sentence) {
      return sentence.find(bytes) != std::string::npos;
    };
    const auto is_in = [&](const NormalizedText& text) { return std::ranges::any_of(text.sentences, has_joiner); };
    if (std::ranges::any_of(texts, is_in)) {
      found += joiner;
    }
  }
  return found;
}

/// Returns the models of all texts, in a message, or kFault and the reason for the failure. They have the same subwords
/// and differ in their normalisers alone. `joiners`: those of the texts. To be called in a child process: SentencePiece
/// starts threads, and if one of them runs out of memory, its exception ends the process.
std::string train_models(const TokenizerOptions& options, const std::vector<NormalizedText>& texts,
                         const GivenSubwords& given, std::u32string_view joiners) {
  std::vector<CharacterMap> maps;
  for (const auto& text : texts) {
    maps.emplace_back(compiled_rules(text.normalization, options.of_ignorable(), joiners));
  }
  SentencesOfTexts sentences(texts, maps);
  std::string model;
  const auto arguments = trainer_arguments(options, texts, given);
  const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &sentences, &model);
  if (!status.ok()) {
    return std::string(kFault) + status.message();
  }
  const auto file = parse_sentencepiece_file(model);
  if (!file) {
    throw RuntimeError("SentencePiece has made a model that cannot be read");
  }
  const auto ignorable = options.of_ignorable();
  std::string models;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto normalization = texts[i].normalization;
    const auto& map = compiled_rules(normalization, ignorable, joiners_in(*file));
    const auto name =
        fmt::format("{}{}", to_string(normalization), ignorable == IgnorableCharacters::kKeep ? "" : kWithoutIgnorable);
    append_field(
        models, kModelField,
        with_normalizer(
            model, {.name = name, .character_map = map, .removes_extra_spaces = removes_extra_spaces(normalization)}));
  }
  return models;
}

void check_text(const std::vector<NormalizedText>& texts) {
  const auto has_text = [](const NormalizedText& text) {
    return std::ranges::any_of(text.sentences, [](const std::string& sentence) { return !is_blank(sentence); });
  };
  if (std::none_of(texts.begin(), texts.end(), has_text)) {
    throw DataError("cannot train a tokenizer: the training text has no sentence");
  }
}

/// Names the subwords that a vocabulary has beside those of the text.
std::string describe_special(const TokenizerOptions& options, const GivenSubwords& given) {
  const auto counted = [](std::size_t count, const char* what) {
    return count == 0 ? std::string() : fmt::format(", {} {}", count, what);
  };
  return fmt::format("4 special tokens{}{}{}", counted(given.tags.size(), "language tags"),
                     counted(given.symbols.size(), "symbols in the text"),
                     options.byte_fallback ? " and 256 bytes" : "");
}

/// Describes why SentencePiece could not train a model, in terms of the configuration.
std::string describe_failure(const TokenizerOptions& options, const GivenSubwords& given, std::string_view message) {
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
        describe_special(options, given));
  }
  const auto condition = message.rfind("] ");
  return fmt::format("tokenizer: no {} model with tokenizer.vocab_size {} can be trained on this text: {}",
                     to_string(options.type), options.vocab_size,
                     condition == std::string_view::npos ? message : message.substr(condition + 2));
}

/// Throws ConfigError for a vocabulary that cannot hold even the special subwords and the bytes, which SentencePiece
/// reports as an internal error.
void check_vocab_size(const TokenizerOptions& options, const GivenSubwords& given) {
  const std::int64_t smallest =
      (options.byte_fallback ? 4 + 256 : 4) + std::ssize(given.tags) + std::ssize(given.symbols);
  // SentencePiece counts in 32 bits, and prunes a unigram model down to 1.1 times the size, which must not overflow:
  // it would never end.
  constexpr std::int64_t kLargest = 1'000'000'000;
  if (options.vocab_size < smallest || options.vocab_size > kLargest) {
    throw ConfigError(fmt::format("tokenizer.vocab_size is {}: expected {} ({}) to {}", options.vocab_size, smallest,
                                  describe_special(options, given), kLargest));
  }
}

/// Trains one vocabulary on all texts and returns a tokenizer for each of them.
std::vector<Tokenizer> train_on(const TokenizerOptions& options, const std::vector<NormalizedText>& texts,
                                const GivenSubwords& given) {
  check_text(texts);
  check_vocab_size(options, given);
  const std::string name = to_string(options.type);
  const auto origin = fmt::format("the {} model just built", name);
  if (options.type == TokenizerType::kWordLevel) {
    std::vector<std::span<const std::string>> sentences;
    for (const auto& text : texts) {
      sentences.push_back(text.sentences);
    }
    return {texts.size(), Tokenizer::from_serialized(train_word_level(options, sentences, given.tags), origin)};
  }
  const auto joiners = joiners_in(texts);
  for (const auto& text : texts) {  // so that the child process has them
    (void)compiled_rules(text.normalization, options.of_ignorable(), joiners);
  }
  const auto models =
      in_child_process("training the tokenizer", [&] { return train_models(options, texts, given, joiners); });
  if (models.starts_with(kFault)) {
    throw ConfigError(describe_failure(options, given, std::string_view(models).substr(kFault.size())));
  }
  std::vector<Tokenizer> tokenizers;
  ProtocolFields fields(models);
  while (const auto field = fields.next()) {
    const bool is_same = !tokenizers.empty() && tokenizers.front().serialized() == field->bytes;
    tokenizers.push_back(is_same ? tokenizers.front() : Tokenizer::from_serialized(std::string(field->bytes), origin));
  }
  if (const auto size = tokenizers.front().vocab_size(); size < options.vocab_size) {
    log_warning(
        fmt::format("tokenizer: the text yields only {} {} subwords, fewer than tokenizer.vocab_size {}; using {}",
                    size, name, options.vocab_size, size));
  }
  return tokenizers;
}

}  // namespace

Tokenizer train_tokenizer(const TokenizerOptions& options, const std::vector<std::span<const std::string>>& texts,
                          const std::vector<std::string>& tags, const std::vector<std::string>& symbols) {
  std::vector<NormalizedText> normalized;
  for (const auto& text : texts) {
    normalized.push_back({.sentences = text, .normalization = options.normalization});
  }
  if (normalized.empty()) {
    normalized.emplace_back();
  }
  return train_on(options, normalized, {.tags = tags, .symbols = symbols}).front();
}

namespace {

/// Describes everything that the models depend on, one setting per line.
std::string describe_inputs(const TokenizerOptions& options, const TokenizerInputs& inputs) {
  const auto text_rules = [&] {
    std::string rules;
    if (options.type == TokenizerType::kWordLevel) {
      return rules;
    }
    const auto target = options.of_targets();
    if (target != options.normalization) {
      rules += fmt::format("target_normalization {}\n", to_string(target));
    }
    return options.of_ignorable() == IgnorableCharacters::kRemove ? rules + "ignorable remove\n" : rules;
  };
  return fmt::format(
      "type {}\nvocab_size {}\nshared {}\ncharacter_coverage {}\nbyte_fallback {}\nnormalization {}\n{}{}{}{}{}text "
      "{}\n",
      to_string(options.type), options.vocab_size, options.shared, options.character_coverage, options.byte_fallback,
      to_string(options.normalization),
      // Models made before these options existed stay valid.
      options.pretokenized ? "pretokenized\n" : "",
      options.type == TokenizerType::kWordLevel ? fmt::format("min_frequency {}\n", options.min_frequency) : "",
      inputs.tags.empty() ? "" : fmt::format("tags {}\n", fmt::join(inputs.tags, " ")),
      inputs.symbols.empty() ? "" : fmt::format("symbols {}\n", fmt::join(inputs.symbols, " ")), text_rules(),
      inputs.text);
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
    if (!std::filesystem::is_regular_file(path, ignored)) {
      return std::nullopt;
    }
  }
  std::string source = read_file(paths.source);
  std::string target = read_file(paths.target);
  if (read_file(paths.fingerprint) != inputs + describe_models(source, target)) {
    return std::nullopt;
  }
  return TokenizerPair{Tokenizer::from_serialized(std::move(source), paths.source.string()),
                       Tokenizer::from_serialized(std::move(target), paths.target.string()).for_targets()};
}

/// The fingerprint, which names the checksums of both models, is written last: an earlier crash leaves a mismatch.
void write_cache(const CachePaths& paths, const std::string& inputs, const TokenizerPair& pair) {
  const auto folder = paths.source.parent_path();
  make_folder(folder);
  // Models of the other kind, of a former configuration, would be taken for those of this one.
  for (const char* extension : {kSentencePieceExtension, kWordLevelExtension}) {
    const CachePaths others(folder, extension);
    if (others.source == paths.source) {
      continue;
    }
    for (const auto& path : {others.source, others.target}) {
      std::error_code error;
      std::filesystem::remove(path, error);
      if (error) {
        throw RuntimeError(fmt::format("cannot delete {}: {}", path.string(), error.message()));
      }
    }
  }
  write_file_atomically(paths.source, pair.source.serialized());
  write_file_atomically(paths.target, pair.target.serialized());
  write_file_atomically(paths.fingerprint,
                        inputs + describe_models(pair.source.serialized(), pair.target.serialized()));
}

}  // namespace

TokenizerPair train_tokenizers(const TokenizerOptions& options, const TokenizerText& text,
                               const std::vector<std::string>& tags, const std::vector<std::string>& symbols) {
  const std::string type = to_string(options.type);
  if (options.shared) {
    log_info(
        fmt::format("tokenizer: training one {} model on {} sentences", type, text.source.size() + text.target.size()));
    const auto both = train_on(options,
                               {{.sentences = text.source, .normalization = options.normalization},
                                {.sentences = text.target, .normalization = options.of_targets()}},
                               {.tags = tags, .symbols = symbols});
    return {both.front().for_sources(options.source_sos), both.back().for_targets()};
  }
  log_info(fmt::format("tokenizer: training two {} models on {} sentences each", type, text.source.size()));
  const auto source = train_tokenizer(options, {text.source}, tags, symbols);
  auto for_target = options;
  for_target.normalization = options.of_targets();
  return {source.for_sources(options.source_sos),
          train_tokenizer(for_target, {text.target}, {}, symbols).for_targets()};
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
  if (options.shared && both && !have_same_subwords(source, target)) {
    throw ConfigError(
        fmt::format("tokenizer.target_model: {} has other subwords than {}: set tokenizer.shared to false, or give one "
                    "model",
                    target_path.string(), source_path.string()));
  }
  if (options.ignorable.value_or(IgnorableCharacters::kRemove) == IgnorableCharacters::kRemove) {
    const bool is_one = source.serialized() == target.serialized();
    source = source.removing_ignorable();
    target = is_one ? source : target.removing_ignorable();
  }
  return {source.for_sources(options.source_sos), target.for_targets()};
}

std::optional<TokenizerPair> built_tokenizers(const std::filesystem::path& cache_dir) {
  std::error_code ignored;
  for (const char* extension : {kSentencePieceExtension, kWordLevelExtension}) {
    const CachePaths paths(cache_dir, extension);
    if (std::filesystem::is_regular_file(paths.source, ignored) &&
        std::filesystem::is_regular_file(paths.target, ignored)) {
      return TokenizerPair{Tokenizer::load(paths.source), Tokenizer::load(paths.target).for_targets()};
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
  TokenizerPair pair = train_tokenizers(options, inputs.read_text(), inputs.tags, inputs.symbols);
  if (before_writing) {
    before_writing();
  }
  write_cache(paths, description, pair);
  log_info(fmt::format("tokenizer: {} source and {} target subwords, written to {}", pair.source.vocab_size(),
                       pair.target.vocab_size(), cache_dir.string()));
  return pair;
}

}  // namespace translate
