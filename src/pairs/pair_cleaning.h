#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pairs/hash_set.h"
#include "pairs/pair_source.h"

namespace translate {

/// Why a pair is left out of training text. The first reason that holds counts.
enum class DropReason {
  kBlank,          ///< a side is blank
  kControl,        ///< a side has control characters (see has_control_characters)
  kMisread,        ///< a side was read in a wrong encoding (see looks_read_as_latin)
  kTooLong,        ///< a side has more than 1,000 characters
  kNoWords,        ///< fewer than a quarter of a side's characters, white space aside, are letters
  kSame,           ///< both sides are the same text
  kUnevenLengths,  ///< one side is too long for the other, by what is usual in the text
  kRepeated,       ///< the text has had the pair before
};
inline constexpr std::size_t kDropReasons = 8;

/// The reason in a few words: "a side is blank".
[[nodiscard]] std::string_view reason_text(DropReason reason);

/// The usual ratio of the lengths of the two sides, in characters. Its logarithm has about a normal distribution.
class LengthRatios {
 public:
  /// Learns from a pair.
  void add(const SentencePair& pair);

  /// Whether the ratio of a pair differs from the median of those learnt by a factor of two at least, and its logarithm
  /// by six deviations (estimated from the median absolute deviation, on which pairs that do not belong together have
  /// little influence).
  [[nodiscard]] bool is_uneven(const SentencePair& pair) const;

 private:
  static constexpr std::size_t kBins = 801;  ///< of 0.01, from -4 to 4

  [[nodiscard]] static double log_ratio(const SentencePair& pair);

  std::array<std::uint64_t, kBins> counts_ = {};
  std::uint64_t all_ = 0;
};

/// Decides about the pairs of a text, one after the other.
class PairCleaning {
 public:
  /// `lengths`: learnt from the text, or from its beginning.
  explicit PairCleaning(const LengthRatios& lengths) : lengths_(lengths) {}

  /// Returns why a pair is to be left out; nothing if it is to be kept.
  [[nodiscard]] std::optional<DropReason> judge(const SentencePair& pair);

 private:
  LengthRatios lengths_;
  HashSet seen_;
};

}  // namespace translate
