#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pairs/pair_cleaning.h"
#include "pairs/pair_source.h"

namespace translate {

/// What became of the pairs of a text.
struct CleaningCounts {
  std::uint64_t read = 0;
  std::uint64_t kept = 0;
  std::uint64_t decoded = 0;  ///< kept, with an encoding or character references that were mended
  std::uint64_t swapped = 0;  ///< kept, with their sides exchanged
  std::array<std::uint64_t, kDropReasons> dropped = {};  ///< by their reasons

  bool operator==(const CleaningCounts&) const = default;

  /// The counts in sentences, a line for each reason.
  [[nodiscard]] std::vector<std::string> describe() const;
};

/// A shard of a text, for work on several machines. Pairs whose sources differ in case and punctuation alone are in the
/// same shard, so that repeated pairs are found.
struct TextShard {
  std::uint64_t number = 0;  ///< from 0
  std::uint64_t of = 1;
};

/// How a text is cleaned.
struct CleaningOptions {
  LanguageCheck languages = {};         ///< empty: languages are not looked at
  DropReasons allowed = {};             ///< no reasons to leave a pair out
  std::filesystem::path left_out = {};  ///< a table of what is left out, with reason and place in front; empty: none
  TextShard shard = {};
};

/// Reads pairs, without white space at their ends, and gives those that are kept (PairCleaning) to `keep`, in their
/// order. Uses all threads. Throws DataError and RuntimeError as the sources do, and DataError if the sides of a source
/// are shifted against each other (LineShift).
[[nodiscard]] CleaningCounts clean_pairs(const OpenPairs& open, const CleaningOptions& options,
                                         const std::function<void(const SentencePair& pair)>& keep);

}  // namespace translate
