#include "pairs/frequent_targets.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/random_numbers.h"
#include "pairs/near_duplicate_index.h"

namespace translate {

namespace {

constexpr std::size_t kCounters = std::size_t{1} << 22U;  // of a row

/// The places of a target's counters in both rows.
std::array<std::size_t, 2> places_of(std::uint64_t key) {
  const auto mixed = mix_seeds({key});
  return {static_cast<std::size_t>(mixed % kCounters),
          kCounters + static_cast<std::size_t>((mixed >> 32U) % kCounters)};
}

}  // namespace

FrequentTargets::FrequentTargets(std::size_t most) : most_(most), counts_(2 * kCounters) {}

std::uint64_t FrequentTargets::key_of(const SentencePair& pair) { return hash_of_words(pair.target); }

std::uint8_t FrequentTargets::count_of(std::uint64_t key) const {
  const auto [first, second] = places_of(key);
  return std::min(counts_[first], counts_[second]);
}

void FrequentTargets::count(std::uint64_t key) {
  const auto before = count_of(key);
  if (before < std::numeric_limits<std::uint8_t>::max()) {
    for (const auto place : places_of(key)) {
      counts_[place] = std::max(counts_[place], static_cast<std::uint8_t>(before + 1));
    }
  }
  has_any_ = has_any_ || before >= most_;
}

void FrequentTargets::add(std::uint64_t key, std::uint64_t number, float score) {
  if (count_of(key) > most_) {
    frequent_[key].push_back({.number = number, .score = score});
  }
}

std::vector<std::uint64_t> FrequentTargets::superfluous() const {
  std::vector<std::uint64_t> numbers;
  for (const auto& [key, all] : frequent_) {
    auto entries = all;
    std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
      return a.score != b.score ? a.score > b.score : a.number < b.number;
    });
    for (std::size_t i = most_; i < entries.size(); ++i) {
      numbers.push_back(entries[i].number);
    }
  }
  return numbers;
}

}  // namespace translate
