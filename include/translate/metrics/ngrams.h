#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace translate {

/// How many n-grams of one order two sequences have and share.
struct NgramCounts {
  std::int64_t hypothesis = 0;
  std::int64_t reference = 0;
  std::int64_t matches = 0;  ///< each n-gram counted min(times in hypothesis, times in reference)
};

/// The counts of orders 1 to `max_order` (element n - 1 holds order n) of two sequences of symbols (words or code
/// points as numbers). O(max_order * L log L) for L symbols in both together.
[[nodiscard]] std::vector<NgramCounts> count_ngrams(std::span<const std::uint32_t> hypothesis,
                                                    std::span<const std::uint32_t> reference, std::size_t max_order);

}  // namespace translate
