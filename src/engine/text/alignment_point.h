#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

namespace translate {

/// A link between a word, or a subword, of the source and one of the target, by their positions from 0.
struct AlignmentPoint {
  std::int64_t source = 0;
  std::int64_t target = 0;

  auto operator<=>(const AlignmentPoint&) const = default;
};

/// The links of a pair, sorted by source, then target; none occurs twice.
using Alignment = std::vector<AlignmentPoint>;

/// Sorts links, and leaves each that occurs several times once.
inline void sort_alignment(Alignment& alignment) {
  std::ranges::sort(alignment);
  alignment.erase(std::unique(alignment.begin(), alignment.end()), alignment.end());
}

}  // namespace translate
