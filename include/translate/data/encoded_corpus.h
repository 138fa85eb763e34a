#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "translate/data/corpus.h"
#include "translate/text/get_or_build_tokenizer.h"
#include "translate/text/tokenizer.h"

namespace translate {

/// The piece ids of many sentences, without sos and eos, in one block: 4 bytes a piece and 8 a sentence.
class EncodedText {
 public:
  void append(std::span<const std::int32_t> pieces);
  void append(const EncodedText& other);

  [[nodiscard]] std::size_t size() const { return begins_.size() - 1; }
  [[nodiscard]] std::span<const std::int32_t> operator[](std::size_t index) const {
    return std::span(pieces_).subspan(begins_[index], begins_[index + 1] - begins_[index]);
  }
  /// Pieces of one sentence.
  [[nodiscard]] std::int64_t length(std::size_t index) const { return std::ssize((*this)[index]); }
  /// Pieces of all sentences.
  [[nodiscard]] std::int64_t total_length() const { return std::ssize(pieces_); }
  /// The first of the longest sentences. At least one sentence must be there.
  [[nodiscard]] std::size_t longest() const;

 private:
  std::vector<std::int32_t> pieces_;
  std::vector<std::size_t> begins_{0};  // one more than sentences: the last one is the end
};

/// Encodes sentences, in their order, on LibTorch's number of threads; the result does not depend on that number.
[[nodiscard]] EncodedText encode_text(const Tokenizer& tokenizer, std::span<const std::string> sentences);

/// Aligned sentences as piece ids, and where each pair comes from.
struct EncodedCorpus {
  EncodedText source;
  EncodedText target;
  std::vector<PairOrigin> origin;
  std::vector<std::string> source_text;  ///< kept only where segmentations are to be drawn anew; else empty
  std::vector<std::string> target_text;

  [[nodiscard]] std::size_t size() const { return source.size(); }
};

/// Encodes every pair. No text is kept.
[[nodiscard]] EncodedCorpus encode_corpus(const ParallelCorpus& corpus, const TokenizerPair& tokenizers);

/// What training pairs must satisfy.
struct LengthLimits {
  std::int64_t max_length = 256;  ///< pieces a side, without sos and eos
  double max_length_ratio = 0.0;  ///< the longer side over the shorter (0 = no limit)
};

/// Training pairs that were left out.
struct LengthFilterReport {
  LeftOut too_long;
  LeftOut uneven;
  LeftOut empty;  ///< without a piece on one side, though not blank: e.g. characters that normalisation removes
};

/// Removes the pairs beyond the limits or without a piece on one side; the corpus must hold no text yet.
LengthFilterReport remove_by_length(EncodedCorpus& corpus, const LengthLimits& limits);

}  // namespace translate
