#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/options.h"
#include "text/tokenizer.h"

namespace translate::trainer {

/// The way of a text through a tokenizer and back.
struct RoundTrip {
  bool survives = true;           ///< decoded, it is the same but for spaces (U+0020)
  std::vector<std::string> lost;  ///< the characters that are missing then; none for word-level tokenizers
};

/// Encodes and decodes a target (valid UTF-8). A model can only generate what survives this. Thread-safe.
[[nodiscard]] RoundTrip round_trip(const Tokenizer& target, std::string_view text);

/// Counts texts, of which it keeps a limited number.
class TextCounts {
 public:
  /// `most`: the number of different texts that are counted.
  explicit TextCounts(std::size_t most) : most_(most) {}

  void add(std::span<const std::string> texts);

  /// Returns at most `limit` texts with their counts, the most frequent first.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> most_frequent(std::size_t limit) const;

 private:
  std::size_t most_;
  std::unordered_map<std::string, std::uint64_t> counts_;
};

/// The targets of corpora that do not survive.
struct RoundTripLosses {
  std::uint64_t targets = 0;  ///< that were examined: not blank, and not too long to be segmented as a whole
  std::uint64_t changed = 0;
  std::vector<std::pair<std::string, std::uint64_t>> lost;  ///< the most frequent characters, with their counts
};

/// Reads all pairs of corpora, on all threads. `max_length`: data.max_length. Throws DataError as PairReader does.
[[nodiscard]] RoundTripLosses round_trip_losses(std::span<const CorpusFiles> files, const Tokenizer& target,
                                                std::int64_t max_length);

/// Returns a character with its number, "½ U+00BD", or the number alone if it is invisible.
[[nodiscard]] std::string describe_character(std::string_view character);

}  // namespace translate::trainer
