#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "corpora/corpus_reader.h"
#include "data/encoded/encoded_corpus.h"
#include "languages/language_names.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"

namespace translate::trainer {

/// The limits of the text that a tokenizer is built from.
struct SampleLimits {
  std::size_t pairs = 1'000'000;
  std::size_t bytes = std::size_t{256} << 20U;  ///< of both sides together
};

/// The pairs of a text, or a random share of them if they exceed the limits: the pairs whose number (from 0) has a hash
/// in the lowest 2^-k of its range, for the smallest k that keeps within the limits. So the sample is a function of the
/// text and the limits alone, keeps the order of the text, and is made in one pass with no more memory than the limits.
/// Pairs with a side of more than kSegmentedAtOnce bytes (core/utf8.h), or with a word of many thousand bytes,
/// are not in the sample: they are not sentences, and SentencePiece fails on such words.
class TextSample {
 public:
  explicit TextSample(const SampleLimits& limits = {}) : limits_(limits) {}

  /// Adds the next pair of the text.
  void add(TextPair pair);

  /// Pairs added so far.
  [[nodiscard]] std::uint64_t seen() const { return seen_; }

  /// Returns the sentences of the sample; the object is empty afterwards.
  [[nodiscard]] TokenizerText take();

 private:
  [[nodiscard]] static std::uint64_t hash(std::uint64_t number);
  [[nodiscard]] bool wanted(std::uint64_t number) const { return hash(number) <= highest_; }
  void halve();

  SampleLimits limits_;
  std::uint64_t highest_ = UINT64_MAX;  // hashes above it are left out
  std::uint64_t seen_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::uint64_t> numbers_;  // numbers of the pairs in text_
  TokenizerText text_;
};

/// Reads all of a text for its sample. Logs a line if the sample is only a part of it.
[[nodiscard]] TokenizerText read_text_sample(SelectedPairs& pairs, const SampleLimits& limits = {});

/// Changes the pairs of a sample as modifiers change training pairs, so that a vocabulary has what the model will read:
/// words in capitals, digits, emoji. Without typos and joined pairs, which need no subwords of their own, and without
/// placeholders and kept names, for which words must be aligned. A function of the text and the options.
void modify_sample(TokenizerText& text, const ModifierOptions& options, const LanguageCodes& languages);

/// The share (0-1) of the subwords of a side that are unknown, in a thousand sentences spread over the corpus.
[[nodiscard]] double share_of_unknown_subwords(const EncodedCorpus& corpus, Side side, const Tokenizer& tokenizer);

/// The share (0-1) of source lines that hold several sentences, from a thousand lines spread over the corpus. `source`
/// is the tokenizer that the corpus was encoded with; `language` is that of the sources, for SentenceSplitter.
[[nodiscard]] double share_of_lines_with_several_sentences(const EncodedCorpus& corpus, const Tokenizer& source,
                                                           const std::string& language);

}  // namespace translate::trainer
