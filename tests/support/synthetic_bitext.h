#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "text/alignment_point.h"

namespace translate::testing {

/// A sentence, its synthetic translation and the links between them, which are known because they were made together.
struct GoldPair {
  std::vector<std::int32_t> source;
  std::vector<std::int32_t> target;
  Alignment gold;
};

/// How a synthetic language differs from the real one that it translates. Shares are of word types (of the
/// dictionary), chances of tokens.
struct SyntheticLanguage {
  std::uint64_t seed = 1;
  std::int32_t words = 10'000;          ///< of the synthetic language; several source words share some
  std::uint64_t most_translations = 4;  ///< of a source word, the first twice as likely as the second, and so on
  double phrase_share = 0.12;           ///< translations of two words side by side
  double split_share = 0.03;            ///< of two words with others between them ("ne ... pas")
  double joined_share = 0.04;           ///< pairs of source words that one word translates
  double postponed_share = 0.15;        ///< words that stand behind their right neighbour
  double dropped_share = 0.02;          ///< words that are usually left out
  double dropped_chance = 0.04;         ///< any other word
  double inserted_chance = 0.05;        ///< one of ten particles, which belongs to no source word
  double replaced_chance = 0.02;        ///< a word in place of the dictionary's, linked all the same
  double moved_chance = 0.2;            ///< sentences of which some words stand elsewhere
};

/// Translates a sentence, given by the ids of its words. The same for the same language, ids and number.
[[nodiscard]] GoldPair translate_synthetically(std::span<const std::int32_t> source, const SyntheticLanguage& language,
                                               std::uint64_t number);

/// Counts links for the alignment error rate: 1 - 2 |A and G| / (|A| + |G|), where all links of the gold are sure
/// (Och and Ney 2003).
struct AlignmentErrors {
  std::size_t found = 0;
  std::size_t gold = 0;
  std::size_t correct = 0;

  void add(const Alignment& alignment, const Alignment& gold_links);
  [[nodiscard]] double precision() const;
  [[nodiscard]] double recall() const;
  [[nodiscard]] double rate() const;
};

}  // namespace translate::testing
