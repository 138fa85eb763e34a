#include "translate/data/epoch_plan.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

#include "translate/data/seeded_random.h"

namespace translate {

namespace {

using Indices = std::span<std::size_t>;

/// Divides a set of pairs into batches by recursive bisection (a k-d tree over the two lengths).
class Divider {
 public:
  Divider(std::span<const PairLength> lengths, const BatchOptions& options, std::mt19937_64& random)
      : lengths_(lengths), options_(options), random_(random) {}

  EpochPlan divide(Indices pairs) {
    const std::int64_t total = total_weight(pairs);
    // Batches cannot be cut finer than sentences: one sentence of slack, so that few come out over the budget.
    const std::int64_t slack = by_sentences() ? 0 : total / std::ssize(pairs);
    const std::int64_t room = std::max<std::int64_t>(budget() - slack, 1);
    divide(pairs, (total + room - 1) / room);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool by_sentences() const { return options_.batch_sentences > 0; }
  [[nodiscard]] std::int64_t budget() const {
    return by_sentences() ? options_.batch_sentences : options_.batch_tokens;
  }
  [[nodiscard]] std::int64_t weight(std::size_t pair) const { return by_sentences() ? 1 : lengths_[pair].target; }

  [[nodiscard]] std::int64_t total_weight(Indices pairs) const {
    return std::accumulate(pairs.begin(), pairs.end(), std::int64_t{0},
                           [this](std::int64_t sum, std::size_t pair) { return sum + weight(pair); });
  }

  [[nodiscard]] bool fits_one_batch(Indices pairs) const {
    if (pairs.size() == 1) return true;
    if (total_weight(pairs) > budget()) return false;
    PairLength longest;
    for (const std::size_t pair : pairs) {
      longest.source = std::max(longest.source, lengths_[pair].source);
      longest.target = std::max(longest.target, lengths_[pair].target);
    }
    return by_sentences() || std::max(longest.source, longest.target) * std::ssize(pairs) <= 4 * budget();
  }

  /// Makes about `batches` batches of the pairs.
  void divide(Indices pairs, std::int64_t batches) {
    if (batches <= 1 && fits_one_batch(pairs)) {
      plan_.emplace_back(pairs.begin(), pairs.end());
      return;
    }
    if (pairs.size() == 1) batches = 1;
    batches = std::clamp<std::int64_t>(batches, 2, std::ssize(pairs));
    const std::int64_t batches_left = draw_left_batches(batches);
    sort(pairs);
    const std::size_t middle = cut(pairs, batches_left, batches);
    divide(pairs.first(middle), batches_left);
    divide(pairs.subspan(middle), batches - batches_left);
  }

  /// Between a third and two thirds of the batches, so that the cuts fall elsewhere in each epoch.
  [[nodiscard]] std::int64_t draw_left_batches(std::int64_t batches) {
    const std::int64_t lowest = std::max<std::int64_t>(batches / 3, 1);
    const std::int64_t highest = batches - lowest;
    return lowest + static_cast<std::int64_t>(draw_below(random_, static_cast<std::uint64_t>(highest - lowest + 1)));
  }

  /// By the side whose lengths vary more; equals by the other side, then as they came (shuffled).
  void sort(Indices pairs) const {
    double source_sum = 0, source_squares = 0, target_sum = 0, target_squares = 0;
    for (const std::size_t pair : pairs) {
      const auto source = static_cast<double>(lengths_[pair].source);
      const auto target = static_cast<double>(lengths_[pair].target);
      source_sum += source, source_squares += source * source;
      target_sum += target, target_squares += target * target;
    }
    const auto count = static_cast<double>(pairs.size());
    const bool by_source = source_squares - source_sum * source_sum / count >  //
                           target_squares - target_sum * target_sum / count;
    std::stable_sort(pairs.begin(), pairs.end(), [&](std::size_t left, std::size_t right) {
      const PairLength& a = lengths_[left];
      const PairLength& b = lengths_[right];
      return by_source ? std::tie(a.source, a.target) < std::tie(b.source, b.target)
                       : std::tie(a.target, a.source) < std::tie(b.target, b.source);
    });
  }

  /// How many of the sorted pairs belong to the left part: those that come nearest to its share of the weight.
  [[nodiscard]] std::size_t cut(Indices pairs, std::int64_t batches_left, std::int64_t batches) const {
    const double wanted =
        static_cast<double>(total_weight(pairs)) * static_cast<double>(batches_left) / static_cast<double>(batches);
    double sum = 0;
    std::size_t count = 0;
    while (count < pairs.size() && sum + static_cast<double>(weight(pairs[count])) / 2 <= wanted) {
      sum += static_cast<double>(weight(pairs[count++]));
    }
    return std::clamp<std::size_t>(count, 1, pairs.size() - 1);
  }

  std::span<const PairLength> lengths_;
  BatchOptions options_;
  std::mt19937_64& random_;
  EpochPlan plan_;
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
  std::vector<std::size_t> pairs(lengths.size());
  std::iota(pairs.begin(), pairs.end(), 0);
  std::mt19937_64 random(mix_seeds({seed, epoch}));
  shuffle(pairs, random);
  EpochPlan plan = Divider(lengths, options, random).divide(pairs);
  shuffle(plan, random);
  return plan;
}

double padding_share(std::span<const PairLength> lengths, const EpochPlan& plan) {
  std::int64_t real = 0;
  std::int64_t positions = 0;
  for (const auto& batch : plan) {
    PairLength longest;
    for (const std::size_t pair : batch) {
      real += lengths[pair].source + lengths[pair].target;
      longest.source = std::max(longest.source, lengths[pair].source);
      longest.target = std::max(longest.target, lengths[pair].target);
    }
    positions += std::ssize(batch) * (longest.source + longest.target);
  }
  return positions == 0 ? 0.0 : 1.0 - static_cast<double>(real) / static_cast<double>(positions);
}

}  // namespace translate
