#include "translate/data/pair_partition.h"

#include <algorithm>
#include <utility>

namespace translate {

LengthSide other_side(LengthSide side) {
  return side == &PairLength::source ? &PairLength::target : &PairLength::source;
}

std::size_t PairPartition::operator()(std::span<PlannedPair> pairs, LengthSide side, double share) {
  const Cut cut = find_cut(pairs, side, share);
  move_apart(pairs, side, cut);
  return cut.rank;
}

/// The first cell that would bring the weight above the one wanted, else the last that is not empty; `before` grows by
/// the cells before it.
std::uint16_t PairPartition::cell_of_weight(std::span<const Cell> cells, double wanted, Cell& before) {
  std::size_t last = cells.size() - 1;
  while (cells[last].count == 0) --last;
  std::size_t cell = 0;
  for (; cell < last && static_cast<double>(before.weight + cells[cell].weight) <= wanted; ++cell) {
    before.count += cells[cell].count;
    before.weight += cells[cell].weight;
  }
  return static_cast<std::uint16_t>(cell);
}

PairPartition::Cut PairPartition::find_cut(std::span<const PlannedPair> pairs, LengthSide side, double share) {
  const LengthSide other = other_side(side);
  std::uint16_t longest = 0;
  std::int64_t total = 0;
  for (const PlannedPair& pair : pairs) {
    longest = std::max({longest, pair.length.source, pair.length.target});
    total += weight(pair);
  }
  const double wanted = static_cast<double>(total) * share;
  const auto count_cells = [&](LengthSide by, auto counts) {
    cells_.assign(longest + std::size_t{1}, {});
    for (const PlannedPair& pair : pairs) {
      if (!counts(pair)) continue;
      Cell& cell = cells_[pair.length.*by];
      ++cell.count;
      cell.weight += weight(pair);
    }
  };
  Cut cut;
  Cell before;
  count_cells(side, [](const PlannedPair&) { return true; });
  cut.length = cell_of_weight(cells_, wanted, before);
  count_cells(other, [&](const PlannedPair& pair) { return pair.length.*side == cut.length; });
  cut.other = cell_of_weight(cells_, wanted, before);

  // Within the cell all weigh the same. A pair lies before the cut if more than half of its weight does.
  const Cell& cell = cells_[cut.other];
  cut.pairs_at = cell.count;
  const auto each = static_cast<double>(cell.weight) / static_cast<double>(cell.count);
  auto sum = static_cast<double>(before.weight);
  for (; cut.equal < cell.count && sum + each / 2 <= wanted; sum += each) ++cut.equal;
  if (before.count + cut.equal == 0) cut.equal = 1;
  if (before.count + cut.equal == pairs.size()) --cut.equal;
  cut.rank = before.count + cut.equal;
  return cut;
}

void PairPartition::move_apart(std::span<PlannedPair> pairs, LengthSide side, const Cut& cut) {
  const LengthSide other = other_side(side);
  const std::pair at{cut.length, cut.other};
  const auto place = [&](const PlannedPair& pair) { return std::pair{pair.length.*side, pair.length.*other}; };
  // The smaller part waits in the buffer while the other one closes up.
  const std::span<PlannedPair> buffer = buffer_.span();
  if (cut.rank >= pairs.size() - cut.rank) {
    std::size_t equal = 0;
    std::size_t kept = 0;
    std::size_t aside = 0;
    for (const PlannedPair& pair : pairs) {
      const bool first = place(pair) < at || (place(pair) == at && equal++ < cut.equal);
      (first ? pairs[kept++] : buffer[aside++]) = pair;
    }
    std::copy_n(buffer.begin(), aside, pairs.begin() + static_cast<std::ptrdiff_t>(kept));
  } else {
    std::size_t equal = cut.pairs_at;  // those still to come, from the end
    std::size_t kept = pairs.size();
    std::size_t aside = cut.rank;
    for (std::size_t next = pairs.size(); next > 0; --next) {
      const PlannedPair pair = pairs[next - 1];
      const bool first = place(pair) < at || (place(pair) == at && equal-- <= cut.equal);
      (first ? buffer[--aside] : pairs[--kept]) = pair;
    }
    std::copy_n(buffer.begin(), cut.rank, pairs.begin());
  }
}

}  // namespace translate
