#include "translate/text/tokenizer_training.h"

#include <fmt/format.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "translate/core/child_process.h"
#include "translate/core/error.h"
#include "translate/core/logging.h"
#include "translate/core/utf8.h"

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

std::unordered_map<std::string, std::string> trainer_arguments(const TokenizerOptions& options) {
  return {
      {"model_type", sentencepiece_name(options.type)},
      {"vocab_size", std::to_string(options.vocab_size)},
      {"hard_vocab_limit", "false"},  // a text that gives fewer pieces is no error
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"normalization_rule_name", sentencepiece_name(options.normalization)},
      {"remove_extra_whitespaces", options.normalization == Normalization::kIdentity ? "false" : "true"},
      {"split_by_unicode_script", options.pretokenized ? "false" : "true"},
      {"split_by_number", options.pretokenized ? "false" : "true"},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "3"},
      {"max_sentence_length", std::to_string(1 << 30)},  // the most it takes; longer lines would be skipped
      {"num_threads", "16"},  // part of the result (sums are per thread), so not the machine's own number
      {"minloglevel", "3"},   // silent: what matters comes back as a status
  };
}

constexpr std::string_view kFault = "fault: ";  // no model, which is a protocol buffer, begins like this

/// The model's bytes, or kFault and why there is none. To be called in a child process: SentencePiece starts threads,
/// and where one of them runs out of memory, its exception ends the process.
std::string train_model(const TokenizerOptions& options, const std::vector<std::span<const std::string>>& texts) {
  SentencesOfTexts sentences(texts);
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(trainer_arguments(options), &sentences, &model);
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

/// Why SentencePiece could not train a model, in terms of the configuration.
std::string describe_failure(const TokenizerOptions& options, std::string_view message) {
  // "./src/x.cc(580) [condition] Vocabulary size is smaller than required_chars. 5 vs 70. Increase ..."
  constexpr std::string_view kTooSmall = "smaller than required_chars. ";
  constexpr std::string_view kVersus = " vs ";
  const auto too_small = message.find(kTooSmall);
  const auto versus = too_small == std::string_view::npos ? too_small : message.find(kVersus, too_small);
  if (versus != std::string_view::npos) {
    const auto needed = message.substr(versus + kVersus.size());
    return fmt::format(
        "tokenizer.vocab_size is {}, but this text needs at least {}: one subword for each of its characters "
        "(tokenizer.character_coverage {}) and {}; raise it, or lower tokenizer.character_coverage",
        options.vocab_size, needed.substr(0, needed.find_first_not_of("0123456789")), options.character_coverage,
        options.byte_fallback ? "for 4 special tokens and 256 bytes" : "for 4 special tokens");
  }
  const auto condition = message.rfind("] ");
  return fmt::format("tokenizer: no {} model with tokenizer.vocab_size {} can be trained on this text: {}",
                     sentencepiece_name(options.type), options.vocab_size,
                     condition == std::string_view::npos ? message : message.substr(condition + 2));
}

}  // namespace

std::string sentencepiece_name(TokenizerType type) {
  switch (type) {
    case TokenizerType::kBpe:
      return "bpe";
    case TokenizerType::kUnigram:
      return "unigram";
    case TokenizerType::kWord:
      return "word";
    case TokenizerType::kChar:
      return "char";
  }
  throw ConfigError("tokenizer.type: not one of bpe, unigram, word, char");
}

std::string sentencepiece_name(Normalization normalization) {
  switch (normalization) {
    case Normalization::kNmtNfkc:
      return "nmt_nfkc";
    case Normalization::kNfkc:
      return "nfkc";
    case Normalization::kIdentity:
      return "identity";
  }
  throw ConfigError("tokenizer.normalization: not one of nmt_nfkc, nfkc, identity");
}

Tokenizer train_tokenizer(const TokenizerOptions& options, const std::vector<std::span<const std::string>>& texts) {
  check_text(texts);
  const std::string name = sentencepiece_name(options.type);
  // Below this not even the special pieces and the bytes fit, which SentencePiece reports as an internal error.
  const std::int64_t smallest = options.byte_fallback ? 4 + 256 : 4;
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
  if (options.vocab_size < smallest || options.vocab_size > kLargest) {
    throw ConfigError(fmt::format("tokenizer.vocab_size is {}: expected {} (4 special tokens{}) to {}",
                                  options.vocab_size, smallest, options.byte_fallback ? " and 256 bytes" : "",
                                  kLargest));
  }
  std::string model = in_child_process("training the tokenizer", [&] { return train_model(options, texts); });
  if (model.starts_with(kFault)) {
    throw ConfigError(describe_failure(options, std::string_view(model).substr(kFault.size())));
  }
  Tokenizer tokenizer = Tokenizer::from_serialized(std::move(model), fmt::format("the {} model just built", name));
  if (tokenizer.vocab_size() < options.vocab_size) {
    log_warning(
        fmt::format("tokenizer: the text yields only {} {} subwords, fewer than tokenizer.vocab_size {}; using {}",
                    tokenizer.vocab_size(), name, options.vocab_size, tokenizer.vocab_size()));
  }
  return tokenizer;
}

}  // namespace translate
