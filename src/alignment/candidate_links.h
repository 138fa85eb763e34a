#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "alignment/numbered_text.h"

namespace translate {

/// Pairs of words that may be translations of each other: a row of target words for each source word.
struct CandidateLinks {
  std::vector<std::size_t> row_begins;  ///< [source words + 1] places in `targets`
  std::vector<std::uint32_t> targets;   ///< sorted within a row
};

/// One side's numbers (WordIndex), and how many different ones there are.
struct NumberedSide {
  const NumberedText& text;
  std::size_t words;
};

/// Returns the pairs of words that occur in a sentence and its translation, unless both words have more than
/// `most_per_word` such partners: then a pair is kept if one of its words is among the other's `most_per_word` partners
/// of the highest log-likelihood ratio (Dunning 1993; as a measure of translation: Moore 2004). So there are at most
/// most_per_word * (source.words + target.words) pairs. The result does not depend on the number of threads.
[[nodiscard]] CandidateLinks find_candidate_links(const NumberedSide& source, const NumberedSide& target,
                                                  std::size_t most_per_word);

/// The log-likelihood ratio of two events, positive if they occur together more often than by chance, negative if less
/// often: 2 sum n(x, y) log(n(x, y) n / (n(x) n(y))) over both events and their opposites (Dunning 1993).
/// `joint`, `first` and `second` are the numbers of sentences with both and with each, of `all` sentences.
[[nodiscard]] double log_likelihood_ratio(double joint, double first, double second, double all);

}  // namespace translate
