#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace translate::trainer {

/// A link between a word of the source and a word of the target, by their positions from 0.
struct AlignmentPoint {
  std::int32_t source = 0;
  std::int32_t target = 0;

  auto operator<=>(const AlignmentPoint&) const = default;
};

/// The links of a pair, sorted by source, then target; none occurs twice.
using Alignment = std::vector<AlignmentPoint>;

}  // namespace translate::trainer
