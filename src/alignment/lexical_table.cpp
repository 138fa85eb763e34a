#include "alignment/lexical_table.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "alignment/digamma.h"
#include "core/threads.h"

namespace translate {

namespace {

constexpr double kOne = 4294967296.0;  // 2^32: a count of 1
constexpr std::int64_t kRowsInChunk = 1024;

/// Turns the counts of one distribution into probabilities.
class Normalizer {
 public:
  Normalizer(std::int64_t sum, std::size_t outcomes, double prior) : prior_(prior) {
    const double total = static_cast<double>(sum) / kOne + prior * static_cast<double>(outcomes);
    offset_ = total <= 0.0 ? 0.0 : prior > 0.0 ? digamma(total) : total;
  }

  [[nodiscard]] float probability(std::int64_t count) const {
    const double value = static_cast<double>(count) / kOne + prior_;
    const double result = prior_ > 0.0 ? std::exp(digamma(value) - offset_) : offset_ > 0.0 ? value / offset_ : 0.0;
    return std::clamp(static_cast<float>(result), LexicalTable::kRareProbability, 1.0F);
  }

 private:
  double prior_;
  double offset_;
};

void maximize_null(std::span<const std::int64_t> counts, double prior, std::vector<float>& probabilities) {
  std::int64_t sum = 0;
  for (const auto count : counts) {
    sum += count;
  }
  const Normalizer normalizer(sum, counts.size(), prior);
  std::ranges::transform(counts, probabilities.begin(), [&](auto count) { return normalizer.probability(count); });
}

float one_of(std::size_t words) { return words == 0 ? 1.0F : 1.0F / static_cast<float>(words); }

}  // namespace

void LexicalCounts::add(std::int64_t& count, float posterior) {
  std::atomic_ref(count).fetch_add(static_cast<std::int64_t>(posterior * static_cast<float>(kOne)),
                                   std::memory_order_relaxed);
}

LexicalTable::LexicalTable(CandidateLinks links, std::size_t source_words, std::size_t target_words)
    : row_begins_(std::move(links.row_begins)),
      targets_(std::move(links.targets)),
      probabilities_(targets_.size(), {.forward = one_of(target_words), .backward = one_of(source_words)}),
      null_source_(source_words, one_of(source_words)),
      null_target_(target_words, one_of(target_words)) {}

std::size_t LexicalTable::find(std::uint32_t source, std::uint32_t target) const {
  if (source >= null_source_.size()) {
    return kNoEntry;
  }
  const std::size_t begin = row_begins_[source];
  std::size_t length = row_begins_[source + 1] - begin;
  if (length == 0) {
    return kNoEntry;
  }
  const std::uint32_t* place = targets_.data() + begin;
  for (; length > 1; length -= length / 2) {  // without jumps that depend on the data
    place += place[length / 2] <= target ? length / 2 : 0;
  }
  return *place == target ? static_cast<std::size_t>(place - targets_.data()) : kNoEntry;
}

LexicalProbabilities LexicalTable::probabilities(std::size_t entry, std::uint32_t source, std::uint32_t target) const {
  if (entry != kNoEntry) {
    return probabilities_[entry];
  }
  return {.forward = source == WordIndex::kUnknown ? one_of(null_target_.size()) : kRareProbability,
          .backward = target == WordIndex::kUnknown ? one_of(null_source_.size()) : kRareProbability};
}

float LexicalTable::null_source(std::uint32_t source) const {
  return source == WordIndex::kUnknown ? kRareProbability : null_source_[source];
}

float LexicalTable::null_target(std::uint32_t target) const {
  return target == WordIndex::kUnknown ? kRareProbability : null_target_[target];
}

void LexicalTable::maximize(const LexicalCounts& counts, double prior) {
  std::vector<std::int64_t> column_sums(null_target_.size());
  std::vector<std::uint32_t> column_sizes(null_target_.size());
  for (std::size_t entry = 0; entry < size(); ++entry) {
    column_sums[targets_[entry]] += counts.links_[entry].backward;
    ++column_sizes[targets_[entry]];
  }
  std::vector<Normalizer> columns;
  columns.reserve(column_sums.size());
  for (std::size_t target = 0; target < column_sums.size(); ++target) {
    columns.emplace_back(column_sums[target], column_sizes[target], prior);
  }
  parallel_ranges(std::ssize(null_source_), kRowsInChunk, [&](std::int64_t first, std::int64_t last) {
    for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(last); ++row) {
      std::int64_t sum = 0;
      for (auto entry = row_begins_[row]; entry < row_begins_[row + 1]; ++entry) {
        sum += counts.links_[entry].forward;
      }
      const Normalizer normalizer(sum, row_begins_[row + 1] - row_begins_[row], prior);
      for (auto entry = row_begins_[row]; entry < row_begins_[row + 1]; ++entry) {
        probabilities_[entry] = {.forward = normalizer.probability(counts.links_[entry].forward),
                                 .backward = columns[targets_[entry]].probability(counts.links_[entry].backward)};
      }
    }
  });
  maximize_null(counts.null_source_, prior, null_source_);
  maximize_null(counts.null_target_, prior, null_target_);
}

DiscountedSides LexicalTable::discount(const LexicalCounts& counts, double discount) {
  const auto side_of = [](const std::vector<std::int64_t>& null_counts) {
    DiscountedSide side{.rest = std::vector<float>(null_counts.size(), 1.0F),
                        .taken = std::vector<double>(null_counts.size()),
                        .null_count = {}};
    std::ranges::transform(null_counts, std::back_inserter(side.null_count),
                           [](auto count) { return static_cast<double>(count) / kOne; });
    return side;
  };
  DiscountedSides sides{.source = side_of(counts.null_source_), .target = side_of(counts.null_target_)};
  std::vector<double> of_source(null_source_.size());  // the sums of what words generate, and of what is taken from it
  std::vector<double> of_target(null_target_.size());
  std::vector<double> from_source(null_source_.size());
  std::vector<double> from_target(null_target_.size());
  const auto each_entry = [&](const auto& use) {
    for (std::size_t source = 0; source < null_source_.size(); ++source) {
      for (auto entry = row_begins_[source]; entry < row_begins_[source + 1]; ++entry) {
        const auto& [forward, backward] = counts.links_[entry];
        use(entry, source, targets_[entry], static_cast<double>(forward) / kOne, static_cast<double>(backward) / kOne);
      }
    }
  };
  each_entry([&](std::size_t, std::size_t source, std::size_t target, double forward, double backward) {
    of_source[source] += forward;
    of_target[target] += backward;
    from_source[source] += std::min(forward, discount);
    from_target[target] += std::min(backward, discount);
    sides.target.taken[target] += std::min(forward, discount);
    sides.source.taken[source] += std::min(backward, discount);
  });
  const auto left = [discount](double count, double sum) {
    return count > discount ? static_cast<float>((count - discount) / sum) : 0.0F;
  };
  each_entry([&](std::size_t entry, std::size_t source, std::size_t target, double forward, double backward) {
    probabilities_[entry] = {.forward = left(forward, of_source[source]),
                             .backward = left(backward, of_target[target])};
  });
  const auto set_rest = [](DiscountedSide& side, const std::vector<double>& from, const std::vector<double>& of) {
    for (std::size_t word = 0; word < of.size(); ++word) {
      side.rest[word] = of[word] > 0.0 ? static_cast<float>(from[word] / of[word]) : 1.0F;
    }
  };
  set_rest(sides.source, from_source, of_source);
  set_rest(sides.target, from_target, of_target);
  prune(std::numeric_limits<float>::min());
  return sides;
}

void LexicalTable::prune(float least) {
  std::size_t kept = 0;
  std::size_t entry = 0;
  for (std::size_t row = 0; row < null_source_.size(); ++row) {
    for (const auto end = row_begins_[row + 1]; entry < end; ++entry) {
      const auto& [forward, backward] = probabilities_[entry];
      if (forward >= least || backward >= least) {
        targets_[kept] = targets_[entry];
        probabilities_[kept++] = probabilities_[entry];
      }
    }
    row_begins_[row + 1] = kept;
  }
  targets_.resize(kept);
  targets_.shrink_to_fit();
  probabilities_.resize(kept);
  probabilities_.shrink_to_fit();
}

}  // namespace translate
