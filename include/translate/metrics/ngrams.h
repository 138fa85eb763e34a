#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace translate {

/// A sequence of symbols (words or code points as numbers).
using Symbols = std::span<const std::uint32_t>;

/// How many n-grams of one order a hypothesis and its references have and share.
struct NgramCounts {
  std::int64_t hypothesis = 0;
  std::int64_t reference = 0;  ///< of all references together
  std::int64_t matches = 0;    ///< each n-gram counted min(times in hypothesis, most times in any reference)
};

/// The counts of orders 1 to `max_order` (element n - 1 holds order n) of a hypothesis and its references.
/// O(max_order * L log L) for L symbols in all of them together.
[[nodiscard]] std::vector<NgramCounts> count_ngrams(Symbols hypothesis, std::span<const Symbols> references,
                                                    std::size_t max_order);

/// The same for one reference.
[[nodiscard]] inline std::vector<NgramCounts> count_ngrams(Symbols hypothesis, Symbols reference,
                                                           std::size_t max_order) {
  return count_ngrams(hypothesis, std::span<const Symbols>(&reference, 1), max_order);
}

}  // namespace translate
