#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace translate {

/// A sequence of symbols (words or code points as numbers).
using Symbols = std::span<const std::uint32_t>;

/// The numbers of n-grams of one order in a hypothesis, in its references, and in both.
struct NgramCounts {
  std::int64_t hypothesis = 0;
  std::int64_t reference = 0;  ///< in all references together
  std::int64_t matches = 0;    ///< each n-gram counts min(occurrences in the hypothesis, most in any reference)
};

/// The counts of orders 1 to `max_order` (element n - 1 holds order n) of a hypothesis and its references. O(max_order
/// * L log L) for L symbols in all sequences together.
[[nodiscard]] std::vector<NgramCounts> count_ngrams(Symbols hypothesis, std::span<const Symbols> references,
                                                    std::size_t max_order);

/// The same for one reference.
[[nodiscard]] inline std::vector<NgramCounts> count_ngrams(Symbols hypothesis, Symbols reference,
                                                           std::size_t max_order) {
  return count_ngrams(hypothesis, std::span<const Symbols>(&reference, 1), max_order);
}

/// The n-grams of one order in several sequences, and those that each two of them share.
struct SharedNgrams {
  std::vector<std::int64_t> totals;  ///< the n-grams of each sequence
  /// Of the sequences i and j, at i * sequences + j: each n-gram counts min(occurrences in i, occurrences in j).
  std::vector<std::int64_t> matches;
};

/// The n-grams of orders 1 to `max_order` (element n - 1 holds order n) that each two of `sequences` share: the counts
/// of count_ngrams for every pair, but the n-grams of a sequence are found once, and not once for each pair.
[[nodiscard]] std::vector<SharedNgrams> count_shared_ngrams(std::span<const Symbols> sequences, std::size_t max_order);

}  // namespace translate
