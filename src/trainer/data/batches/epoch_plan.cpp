#include "data/batches/epoch_plan.h"

#include <algorithm>
#include <limits>
#include <random>
#include <tuple>
#include <utility>

#include "core/random_numbers.h"

namespace translate::trainer {

LengthSide other_side(LengthSide side) {
  return side == &PairLength::source ? &PairLength::target : &PairLength::source;
}

std::size_t PairPartition::operator()(std::span<PlannedPair> pairs, LengthSide side, double share) {
  const Cut cut = find_cut(pairs, side, share);
  move_apart(pairs, side, cut);
  return cut.rank;
}

/// Returns the first cell that brings the weight above `wanted`, else the last non-empty one; adds the cells before it
/// to `before`.
std::uint16_t PairPartition::cell_of_weight(std::span<const Cell> cells, double wanted, Cell& before) {
  std::size_t last = cells.size() - 1;
  while (cells[last].count == 0) {
    --last;
  }
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
      if (!counts(pair)) {
        continue;
      }
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

  // All pairs of the cell weigh the same. A pair lies before the cut if more than half of its weight does.
  const Cell& cell = cells_[cut.other];
  cut.pairs_at = cell.count;
  const auto each = static_cast<double>(cell.weight) / static_cast<double>(cell.count);
  auto sum = static_cast<double>(before.weight);
  while (cut.equal < cell.count && sum + each / 2 <= wanted) {
    sum += each;
    ++cut.equal;
  }
  if (before.count + cut.equal == 0) {
    cut.equal = 1;
  }
  if (before.count + cut.equal == pairs.size()) {
    --cut.equal;
  }
  cut.rank = before.count + cut.equal;
  return cut;
}

void PairPartition::move_apart(std::span<PlannedPair> pairs, LengthSide side, const Cut& cut) {
  const LengthSide other = other_side(side);
  const std::pair at{cut.length, cut.other};
  const auto place = [&](const PlannedPair& pair) { return std::pair{pair.length.*side, pair.length.*other}; };
  // The smaller part is kept in the buffer while the other one is compacted.
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
    std::size_t equal = cut.pairs_at;  // remaining ones, from the end
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

namespace {

using Range = EpochPlan::Range;

PairLength longest_of(std::span<const PlannedPair> pairs) {
  PairLength longest;
  for (const PlannedPair& pair : pairs) {
    longest.source = std::max(longest.source, pair.length.source);
    longest.target = std::max(longest.target, pair.length.target);
  }
  return longest;
}

/// Divides pairs into batches by recursive bisection (a k-d tree over the two lengths). Pairs are moved only within
/// their block.
class Divider {
 public:
  Divider(std::span<PlannedPair> pairs, const BatchOptions& options, std::mt19937_64& random)
      : all_(pairs), options_(options), random_(random), part_(pairs.size(), !by_sentences()) {}

  [[nodiscard]] std::vector<Range> divide() {
    const std::int64_t total = total_weight(all_);
    // Batches cannot be cut within a sentence: one sentence of slack keeps most of them within the budget.
    const std::int64_t slack = by_sentences() ? 0 : total / std::ssize(all_);
    const std::int64_t room = std::max<std::int64_t>(budget() - slack, 1);
    const std::int64_t batches = (total + room - 1) / room;
    batches_.reserve(static_cast<std::size_t>(std::min<std::int64_t>(batches + batches / 8 + 1, std::ssize(all_))));
    divide(all_, batches, nullptr);
    return std::move(batches_);
  }

  /// The positions of the batches, including padding to at least `pad_to` on each side.
  [[nodiscard]] std::int64_t padded_positions(std::span<const Range> batches, std::int64_t pad_to = 0) const {
    std::int64_t positions = 0;
    for (const Range& batch : batches) {
      const PairLength longest = longest_of(all_.subspan(batch.begin, batch.size));
      const auto padded = [&](std::int64_t length) { return std::max(length, pad_to); };
      positions += std::int64_t{batch.size} * (padded(longest.source) + padded(longest.target));
    }
    return positions;
  }

 private:
  using Pairs = std::span<PlannedPair>;

  [[nodiscard]] bool by_sentences() const { return options_.batch_sentences > 0; }
  [[nodiscard]] std::int64_t budget() const {
    return by_sentences() ? options_.batch_sentences : options_.batch_tokens;
  }

  [[nodiscard]] std::int64_t total_weight(Pairs pairs) const {
    std::int64_t sum = 0;
    for (const PlannedPair& pair : pairs) {
      sum += part_.weight(pair);
    }
    return sum;
  }

  [[nodiscard]] bool fits_one_batch(Pairs pairs) const {
    if (pairs.size() == 1) {
      return true;
    }
    if (total_weight(pairs) > budget()) {
      return false;
    }
    const PairLength longest = longest_of(pairs);
    return by_sentences() || std::max(longest.source, longest.target) * std::ssize(pairs) <= 4 * budget();
  }

  /// Makes about `batches` batches of the pairs, which were last partitioned by lengths on `side` (nullptr: not yet).
  void divide(Pairs pairs, std::int64_t batches, LengthSide side) {
    if (pairs.size() == 1 || (batches <= 1 && fits_one_batch(pairs))) {
      return add_batch(pairs, side);
    }
    // For the last few batches both sides are tried; earlier, and if a batch turns out too large, the spread of the
    // lengths is a good enough criterion.
    constexpr std::int64_t kTryBothWays = 4;
    const bool try_both_ways = batches > 1 && batches <= kTryBothWays;
    batches = std::clamp<std::int64_t>(batches, 2, std::ssize(pairs));
    if (!try_both_ways) {
      return bisect(pairs, batches, side_of_larger_spread(pairs));
    }

    const std::vector<PlannedPair> before(pairs.begin(), pairs.end());
    const std::size_t first = batches_.size();
    bisect(pairs, batches, &PairLength::target);
    const std::vector<PlannedPair> by_target(pairs.begin(), pairs.end());
    const std::vector<Range> batches_by_target(batches_.begin() + static_cast<std::ptrdiff_t>(first), batches_.end());
    const std::int64_t positions = padded_positions(batches_by_target);

    batches_.resize(first);
    std::copy(before.begin(), before.end(), pairs.begin());
    bisect(pairs, batches, &PairLength::source);
    if (padded_positions(std::span(batches_).subspan(first)) < positions) {
      return;
    }
    batches_.resize(first);
    batches_.insert(batches_.end(), batches_by_target.begin(), batches_by_target.end());
    std::copy(by_target.begin(), by_target.end(), pairs.begin());
  }

  /// Divides the pairs that are shorter on `side` and the longer ones separately.
  void bisect(Pairs pairs, std::int64_t batches, LengthSide side) {
    // Between a third and two thirds of the batches, so that the cuts differ between epochs.
    const std::int64_t fewest = std::max<std::int64_t>(batches / 3, 1);
    const auto choices = static_cast<std::uint64_t>(batches - 2 * fewest + 1);
    const std::int64_t first_batches = fewest + static_cast<std::int64_t>(draw_below(random_, choices));
    const std::size_t middle = part_(pairs, side, static_cast<double>(first_batches) / static_cast<double>(batches));
    divide(pairs.first(middle), first_batches, side);
    divide(pairs.subspan(middle), batches - first_batches, side);
  }

  /// Adds a batch, sorted by the length by which it was last cut, then by the other one, then in the shuffled order.
  void add_batch(Pairs pairs, LengthSide side) {
    batches_.push_back({.begin = static_cast<std::uint32_t>(pairs.data() - all_.data()),
                        .size = static_cast<std::uint32_t>(pairs.size())});
    if (side == nullptr) {
      return;
    }
    const LengthSide other = other_side(side);
    std::stable_sort(pairs.begin(), pairs.end(), [&](const PlannedPair& left, const PlannedPair& right) {
      const PairLength& a = left.length;
      const PairLength& b = right.length;
      return std::tie(a.*side, a.*other) < std::tie(b.*side, b.*other);
    });
  }

  [[nodiscard]] static LengthSide side_of_larger_spread(Pairs pairs) {
    const auto spread = [&](LengthSide side) {  // the variance times the number of pairs
      std::uint64_t sum = 0;
      std::uint64_t squares = 0;
      for (const PlannedPair& pair : pairs) {
        const std::uint64_t length = pair.length.*side;
        sum += length;
        squares += length * length;
      }
      const auto total = static_cast<double>(sum);
      return static_cast<double>(squares) - total * total / static_cast<double>(pairs.size());
    };
    return spread(&PairLength::source) > spread(&PairLength::target) ? &PairLength::source : &PairLength::target;
  }

  Pairs all_;
  BatchOptions options_;
  std::mt19937_64& random_;
  PairPartition part_;
  std::vector<Range> batches_;
};

}  // namespace

PairLength pair_length(std::int64_t source_subwords, std::int64_t target_subwords) {
  const auto saturated = [](std::int64_t length) {
    return static_cast<std::uint16_t>(std::min<std::int64_t>(length, std::numeric_limits<std::uint16_t>::max()));
  };
  return {.source = saturated(source_subwords + 2), .target = saturated(target_subwords + 1)};
}

PageBlock<PlannedPair> planned_pairs(const EncodedCorpus& corpus) {
  PageBlock<PlannedPair> pairs(corpus.size());
  corpus.visit_lengths(/*stride=*/1, [&](std::size_t index, std::int64_t source, std::int64_t target) {
    pairs.span()[index] = {static_cast<std::uint32_t>(index), pair_length(source, target)};
  });
  return pairs;
}

EpochPlan plan_epoch(PageBlock<PlannedPair> pairs, const BatchOptions& options, std::uint64_t seed,
                     std::uint64_t epoch) {
  if (pairs.size() == 0) {
    return {};
  }
  std::mt19937_64 random(mix_seeds({seed, epoch}));
  shuffle(pairs.span(), random);
  std::vector<Range> batches;
  std::int64_t positions = 0;
  {
    Divider divider(pairs.span(), options, random);
    batches = divider.divide();
    positions = divider.padded_positions(batches, options.pad_to);
  }
  std::int64_t real = 0;
  PageBlock<std::uint32_t> indices(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PlannedPair& pair = pairs.span()[i];
    indices.span()[i] = pair.index;
    real += pair.length.source + pair.length.target;
  }
  shuffle(std::span(batches), random);
  return {std::move(indices), std::move(batches), 1.0 - static_cast<double>(real) / static_cast<double>(positions)};
}

}  // namespace translate::trainer
