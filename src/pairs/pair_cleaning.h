#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pairs/hash_set.h"
#include "pairs/pair_source.h"
#include "pairs/usual_scripts.h"

namespace translate {

/// Why a pair is left out of training text. The first reason that holds counts.
enum class DropReason {
  kBlank,          ///< a side is blank
  kControl,        ///< a side has control characters (see has_control_characters)
  kMisread,        ///< a side was read in a wrong encoding (see looks_read_as_latin), and cannot be mended
  kTooLong,        ///< a side has more than 1,000 characters
  kNoWords,        ///< fewer than a quarter of a side's characters, white space aside, are letters
  kSame,           ///< both sides are the same text, but for case
  kMarkup,         ///< a side has tags or character references of HTML (see has_markup)
  kOtherScript,    ///< a side is written in other scripts than is usual in the text (see UsualScripts)
  kOtherLanguage,  ///< a side is in another language than it should be
  kUnevenLengths,  ///< one side is too long for the other, by what is usual in the text
  kAddresses,      ///< the sides have different URLs or e-mail addresses
  kNumbers,        ///< the sides have different numbers (see have_different_numbers)
  kRepeated,       ///< the text has had the pair before, or one that differs in case and punctuation alone
  kMismatched,     ///< the words of the sides are no translations of each other (see LexicalCleaning)
  kCut,            ///< the beginning or the end of a side is missing (see LexicalCleaning)
  kManySources,    ///< the target stands beside kMostSources other sources that it fits better (see clean_pairs)
  kWorst,          ///< among the share of the text that others score worst (see WorstShare)
};
inline constexpr std::size_t kDropReasons = 17;

/// So many sources of the same target are kept.
inline constexpr std::size_t kMostSources = 10;

/// The reason in a few words: "a side is blank".
[[nodiscard]] std::string_view reason_text(DropReason reason);

/// Several reasons, by their numbers.
using DropReasons = std::bitset<kDropReasons>;

/// The reason in one word, for options: "numbers".
[[nodiscard]] std::string_view reason_name(DropReason reason);

/// The usual ratio of the lengths of the two sides, in characters. Its logarithm has about a normal distribution.
class LengthRatios {
 public:
  /// Learns from a pair.
  void add(const SentencePair& pair);

  /// The logarithm of the ratio of the target's characters to the source's.
  [[nodiscard]] static double log_ratio(std::size_t source_characters, std::size_t target_characters);

  /// Whether a logarithm differs from that of the median as is_uneven says.
  [[nodiscard]] bool is_far(double log_ratio) const;

  /// The median of the logarithms; 0 if nothing was learnt.
  [[nodiscard]] double usual() const;

  /// Whether the ratio of a pair differs from the median of those learnt by a factor of two at least, and its logarithm
  /// by six deviations (estimated from the median absolute deviation, on which pairs that do not belong together have
  /// little influence).
  [[nodiscard]] bool is_uneven(const SentencePair& pair) const;

 private:
  static constexpr std::size_t kBins = 801;  ///< of 0.01, from -4 to 4

  [[nodiscard]] std::size_t median_bin() const;

  std::array<std::uint64_t, kBins> counts_ = {};
  std::uint64_t all_ = 0;
};

/// What is usual in a text.
struct UsualPairs {
  LengthRatios lengths = {};
  UsualScripts source = {};
  UsualScripts target = {};

  /// Learns from a pair.
  void add(const SentencePair& pair);
};

/// Whether the sides of a pair are in their languages.
enum class SideLanguages { kRight, kOther, kSwapped };

/// Tells it of a pair. Must be thread-safe.
using LanguageCheck = std::function<SideLanguages(const SentencePair& pair)>;

/// What is to be done with a pair.
struct PairVerdict {
  std::optional<DropReason> reason = {};  ///< why it is to be left out; nothing if it is to be kept
  bool is_decoded = false;                ///< a wrong encoding, or character references of HTML, were mended
  bool is_swapped = false;                ///< the sides stood in each other's place, and were exchanged
};

/// Decides about the pairs of a text.
class PairCleaning {
 public:
  /// `usual`: learnt from the text, or from its beginning. Without `languages`, they are not looked at. `allowed`: no
  /// reasons to leave a pair out.
  explicit PairCleaning(UsualPairs usual, LanguageCheck languages = {}, DropReasons allowed = {})
      : usual_(std::move(usual)), languages_(std::move(languages)), allowed_(allowed) {}

  /// Looks at a pair by itself, and mends it where that is certain. Thread-safe.
  [[nodiscard]] PairVerdict look_at(SentencePair& pair) const;

  /// A hash that is the same for pairs which differ in case and punctuation alone. Thread-safe.
  [[nodiscard]] static std::uint64_t key_of(const SentencePair& pair);

  /// Whether a pair of this key was there before, for each pair once.
  [[nodiscard]] bool is_repeated(std::uint64_t key);

  [[nodiscard]] const UsualPairs& usual() const { return usual_; }
  [[nodiscard]] bool looks_for(DropReason reason) const { return !allowed_[static_cast<std::size_t>(reason)]; }

 private:
  [[nodiscard]] std::optional<DropReason> reason_to_drop(SentencePair& pair, PairVerdict& verdict) const;

  UsualPairs usual_;
  LanguageCheck languages_;
  DropReasons allowed_;
  HashSet seen_;
};

}  // namespace translate
