#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "pairs/cleaning_counts.h"
#include "pairs/pair_cleaning.h"
#include "pairs/pair_source.h"

namespace translate {

/// A shard of a text, for work on several machines. Pairs whose sources differ in case and punctuation alone are in the
/// same shard, so that repeated pairs are found.
struct TextShard {
  std::uint64_t number = 0;  ///< from 0
  std::uint64_t of = 1;
};

/// The share of a text that is left out because it scores worst.
struct WorstShare {
  double share = 0.0;  ///< of the pairs that passed everything else
  /// Scores some of these pairs, of which there are `of` in all; higher is better. Empty: none is left out.
  std::function<std::vector<float>(std::span<const SentencePair> pairs, std::uint64_t of)> score = {};
};

/// How a text is cleaned.
struct CleaningOptions {
  LanguageCheck languages = {};         ///< empty: languages are not looked at
  DropReasons allowed = {};             ///< no reasons to leave a pair out
  std::filesystem::path left_out = {};  ///< a table of what is left out, with reason and place in front; empty: none
  TextShard shard = {};
  WorstShare worst = {};
};

/// Reads pairs, without white space at their ends, and gives those that are kept to `keep`, in their order. The text is
/// read up to four times: for what a pair tells by itself (PairCleaning); for its words (LexicalCleaning), and for
/// targets that more than kMostSources of the pairs left have, of which those whose words match best are kept
/// (FrequentTargets); for the scores of WorstShare; and to hand pairs out. Uses all threads. Memory: up to 22 bytes for
/// each pair, 16 more for scores, and at most some hundred MiB for the words of half a million pairs and what is learnt
/// from them. Throws DataError and RuntimeError as the sources do, and DataError if the sides of a source are shifted
/// against each other (LineShift).
[[nodiscard]] CleaningCounts clean_pairs(const OpenPairs& open, const CleaningOptions& options,
                                         const std::function<void(const SentencePair& pair)>& keep);

}  // namespace translate
