#include "translate/data/epoch_plan.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "translate/data/seeded_random.h"

namespace translate {

namespace {

using Indices = std::vector<std::size_t>;
using Side = std::int64_t PairLength::*;

PairLength longest_of(std::span<const PairLength> lengths, const Indices& pairs) {
  PairLength longest;
  for (const std::size_t pair : pairs) {
    longest.source = std::max(longest.source, lengths[pair].source);
    longest.target = std::max(longest.target, lengths[pair].target);
  }
  return longest;
}

/// Positions of all batches, padding counted.
std::int64_t padded_positions(std::span<const PairLength> lengths, const EpochPlan& plan) {
  std::int64_t positions = 0;
  for (const Indices& batch : plan) {
    const PairLength longest = longest_of(lengths, batch);
    positions += std::ssize(batch) * (longest.source + longest.target);
  }
  return positions;
}

/// Divides a set of pairs into batches by recursive bisection (a k-d tree over the two lengths).
class Divider {
 public:
  Divider(std::span<const PairLength> lengths, const BatchOptions& options, std::mt19937_64& random)
      : lengths_(lengths), options_(options), random_(random) {}

  [[nodiscard]] EpochPlan divide(Indices pairs) {
    const std::int64_t total = total_weight(pairs);
    // Batches cannot be cut finer than sentences: one sentence of slack, so that few come out over the budget.
    const std::int64_t slack = by_sentences() ? 0 : total / std::ssize(pairs);
    const std::int64_t room = std::max<std::int64_t>(budget() - slack, 1);
    return divide(std::move(pairs), (total + room - 1) / room);
  }

 private:
  [[nodiscard]] bool by_sentences() const { return options_.batch_sentences > 0; }
  [[nodiscard]] std::int64_t budget() const {
    return by_sentences() ? options_.batch_sentences : options_.batch_tokens;
  }
  [[nodiscard]] std::int64_t weight(std::size_t pair) const { return by_sentences() ? 1 : lengths_[pair].target; }

  [[nodiscard]] std::int64_t total_weight(const Indices& pairs) const {
    return std::accumulate(pairs.begin(), pairs.end(), std::int64_t{0},
                           [this](std::int64_t sum, std::size_t pair) { return sum + weight(pair); });
  }

  [[nodiscard]] bool fits_one_batch(const Indices& pairs) const {
    if (pairs.size() == 1) return true;
    if (total_weight(pairs) > budget()) return false;
    const PairLength longest = longest_of(lengths_, pairs);
    return by_sentences() || std::max(longest.source, longest.target) * std::ssize(pairs) <= 4 * budget();
  }

  /// About `batches` batches of the pairs.
  [[nodiscard]] EpochPlan divide(Indices pairs, std::int64_t batches) {
    if (pairs.size() == 1 || (batches <= 1 && fits_one_batch(pairs))) return {std::move(pairs)};
    // For the last few batches both ways are tried; before, and where one batch turns out too large, the lengths'
    // spread tells well enough.
    constexpr std::int64_t kTryBothWays = 4;
    const bool try_both_ways = batches > 1 && batches <= kTryBothWays;
    batches = std::clamp<std::int64_t>(batches, 2, std::ssize(pairs));
    if (!try_both_ways) {
      const Side side = side_of_larger_spread(pairs);
      return bisect(std::move(pairs), batches, side);
    }
    EpochPlan by_target = bisect(pairs, batches, &PairLength::target);
    EpochPlan by_source = bisect(std::move(pairs), batches, &PairLength::source);
    return padded_positions(lengths_, by_source) < padded_positions(lengths_, by_target) ? by_source : by_target;
  }

  /// Divides the pairs that are shorter on `side` and the longer ones separately.
  [[nodiscard]] EpochPlan bisect(Indices pairs, std::int64_t batches, Side side) {
    // Between a third and two thirds of the batches, so that the cuts fall elsewhere in each epoch.
    const std::int64_t fewest = std::max<std::int64_t>(batches / 3, 1);
    const auto choices = static_cast<std::uint64_t>(batches - 2 * fewest + 1);
    const std::int64_t first_batches = fewest + static_cast<std::int64_t>(draw_below(random_, choices));
    sort(pairs, side);
    const auto middle = pairs.begin() + cut(pairs, static_cast<double>(first_batches) / static_cast<double>(batches));
    EpochPlan plan = divide(Indices(pairs.begin(), middle), first_batches);
    EpochPlan rest = divide(Indices(middle, pairs.end()), batches - first_batches);
    plan.insert(plan.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    return plan;
  }

  /// By the length on one side; equals by the other side, then as they came (shuffled).
  void sort(Indices& pairs, Side side) const {
    const Side other = side == &PairLength::source ? &PairLength::target : &PairLength::source;
    std::stable_sort(pairs.begin(), pairs.end(), [&](std::size_t left, std::size_t right) {
      const PairLength& a = lengths_[left];
      const PairLength& b = lengths_[right];
      return std::tie(a.*side, a.*other) < std::tie(b.*side, b.*other);
    });
  }

  [[nodiscard]] Side side_of_larger_spread(const Indices& pairs) const {
    const auto spread = [&](Side side) {  // the variance times the number of pairs
      double sum = 0;
      double squares = 0;
      for (const std::size_t pair : pairs) {
        const auto length = static_cast<double>(lengths_[pair].*side);
        sum += length;
        squares += length * length;
      }
      return squares - sum * sum / static_cast<double>(pairs.size());
    };
    return spread(&PairLength::source) > spread(&PairLength::target) ? &PairLength::source : &PairLength::target;
  }

  /// How many of the sorted pairs come nearest to a share of their weight: at least one, and not all.
  [[nodiscard]] std::ptrdiff_t cut(const Indices& pairs, double share) const {
    const double wanted = static_cast<double>(total_weight(pairs)) * share;
    double sum = 0;
    std::size_t count = 0;
    while (count < pairs.size() && sum + static_cast<double>(weight(pairs[count])) / 2 <= wanted) {
      sum += static_cast<double>(weight(pairs[count++]));
    }
    return static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(count, 1, pairs.size() - 1));
  }

  std::span<const PairLength> lengths_;
  BatchOptions options_;
  std::mt19937_64& random_;
};

}  // namespace

std::vector<PairLength> pair_lengths(const EncodedCorpus& corpus) {
  std::vector<PairLength> lengths;
  lengths.reserve(corpus.size());
  for (std::size_t index = 0; index < corpus.size(); ++index) {
    lengths.push_back({.source = corpus.source.length(index) + 2, .target = corpus.target.length(index) + 1});
  }
  return lengths;
}

EpochPlan plan_epoch(std::span<const PairLength> lengths, const BatchOptions& options, std::uint64_t seed,
                     std::uint64_t epoch) {
  if (lengths.empty()) return {};
  Indices pairs(lengths.size());
  std::iota(pairs.begin(), pairs.end(), 0);
  std::mt19937_64 random(mix_seeds({seed, epoch}));
  shuffle(pairs, random);
  EpochPlan plan = Divider(lengths, options, random).divide(std::move(pairs));
  shuffle(plan, random);
  return plan;
}

double padding_share(std::span<const PairLength> lengths, const EpochPlan& plan) {
  std::int64_t real = 0;
  for (const Indices& batch : plan) {
    for (const std::size_t pair : batch) real += lengths[pair].source + lengths[pair].target;
  }
  const std::int64_t positions = padded_positions(lengths, plan);
  return positions == 0 ? 0.0 : 1.0 - static_cast<double>(real) / static_cast<double>(positions);
}

}  // namespace translate
