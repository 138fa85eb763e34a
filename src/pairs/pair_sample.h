#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "alignment/numbered_text.h"
#include "pairs/pair_source.h"

namespace translate {

/// The words of a pair, for the word aligner: hashes of 31 bits, in which case does not matter. In scripts that do not
/// separate words by spaces, each character counts as one.
struct PairWords {
  std::vector<std::int32_t> source;
  std::vector<std::int32_t> target;
  std::uint32_t source_characters = 0;  ///< of the text
  std::uint32_t target_characters = 0;
  std::uint64_t key = 0;  ///< the caller's: a hash of the pair
};

[[nodiscard]] PairWords words_of(const SentencePair& pair, std::uint64_t key = 0);

/// The words of a pair without memory of its own.
struct PairView {
  std::span<const std::int32_t> source;
  std::span<const std::int32_t> target;
  std::uint32_t source_characters;
  std::uint32_t target_characters;
  std::uint64_t key;
};

[[nodiscard]] PairView view_of(const PairWords& pair);

/// Some pairs of a text, by their words: those with the lowest keys, so that which ones does not depend on their order.
/// 4 bytes for each word, and 40 for each pair.
class PairSample {
 public:
  /// `most`: pairs; `most_words`: of both sides together. When there are more, about half of the pairs are removed.
  explicit PairSample(std::size_t most = std::size_t{1} << 19U, std::size_t most_words = std::size_t{1} << 24U)
      : most_(most), most_words_(most_words) {}

  /// Whether a pair with such a key is added.
  [[nodiscard]] bool takes(std::uint64_t key) const { return key <= limit_; }

  /// Takes a pair. One without words on a side, or with more than 150, is left out, because it tells little of which
  /// words belong together.
  void add(const PairWords& pair);

  [[nodiscard]] std::size_t size() const { return rest_.size(); }

  [[nodiscard]] PairView operator[](std::size_t pair) const;

 private:
  struct Rest {
    std::uint64_t key;
    std::uint32_t source_characters;
    std::uint32_t target_characters;
  };

  void append(const PairView& pair);
  void halve();

  std::size_t most_;
  std::size_t most_words_;
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();
  IdText sources_;
  IdText targets_;
  std::vector<Rest> rest_;
};

}  // namespace translate
