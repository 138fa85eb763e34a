#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "translate/core/page_block.h"
#include "translate/data/epoch_plan.h"

namespace translate {

/// One of the two lengths of a pair.
using LengthSide = std::uint16_t PairLength::*;

/// The other one.
[[nodiscard]] LengthSide other_side(LengthSide side);

/// Parts spans of pairs in two, the shorter ones first, in linear time: what a stable sort by (length on a side, length
/// on the other) and a cut would put on either side of the cut. Each part keeps the order of its pairs.
class PairPartition {
 public:
  /// For spans of up to `most_pairs`. A pair weighs one, or its target length.
  PairPartition(std::size_t most_pairs, bool weigh_by_target)
      : buffer_(most_pairs / 2 + 1), weigh_by_target_(weigh_by_target) {}

  [[nodiscard]] std::int64_t weight(const PlannedPair& pair) const { return weigh_by_target_ ? pair.length.target : 1; }

  /// Parts at least two pairs where the first part comes nearest to `share` (0-1) of their weight; returns its size: at
  /// least one, and not all.
  std::size_t operator()(std::span<PlannedPair> pairs, LengthSide side, double share);

 private:
  /// Pairs of one length: how many, and what they weigh.
  struct Cell {
    std::size_t count = 0;
    std::int64_t weight = 0;
  };

  /// Where sorted pairs are cut: those below (length, other) lie before it, and the first `equal` of those at it.
  struct Cut {
    std::uint16_t length = 0;
    std::uint16_t other = 0;
    std::size_t equal = 0;
    std::size_t pairs_at = 0;  ///< all of those at it
    std::size_t rank = 0;      ///< pairs before the cut
  };

  [[nodiscard]] static std::uint16_t cell_of_weight(std::span<const Cell> cells, double wanted, Cell& before);
  [[nodiscard]] Cut find_cut(std::span<const PlannedPair> pairs, LengthSide side, double share);
  void move_apart(std::span<PlannedPair> pairs, LengthSide side, const Cut& cut);

  PageBlock<PlannedPair> buffer_;
  bool weigh_by_target_;
  std::vector<Cell> cells_;
};

}  // namespace translate
