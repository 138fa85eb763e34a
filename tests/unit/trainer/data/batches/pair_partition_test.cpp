#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "data/batches/epoch_plan.h"

namespace translate::trainer {
namespace {

std::vector<PlannedPair> random_pairs(std::size_t count, std::uint64_t kinds, std::mt19937_64& random) {
  std::vector<PlannedPair> pairs(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    pairs[i] = {.index = i,
                .length = {.source = static_cast<std::uint16_t>(1 + random() % kinds),
                           .target = static_cast<std::uint16_t>(1 + random() % kinds)}};
  }
  return pairs;
}

std::vector<std::uint32_t> indices(std::span<const PlannedPair> pairs) {
  std::vector<std::uint32_t> numbers;
  for (const PlannedPair& pair : pairs) {
    numbers.push_back(pair.index);
  }
  return numbers;
}

/// The plain way: sort stably, and cut where the weight before comes nearest to the share.
std::size_t sort_and_cut(std::vector<PlannedPair>& pairs, LengthSide side, double share, bool by_target) {
  const LengthSide other = other_side(side);
  std::stable_sort(pairs.begin(), pairs.end(), [&](const PlannedPair& a, const PlannedPair& b) {
    return std::tie(a.length.*side, a.length.*other) < std::tie(b.length.*side, b.length.*other);
  });
  const auto weight = [&](const PlannedPair& pair) { return by_target ? pair.length.target : 1.0; };
  double total = 0;
  for (const PlannedPair& pair : pairs) {
    total += weight(pair);
  }
  double sum = 0;
  std::size_t count = 0;
  while (count < pairs.size() && sum + weight(pairs[count]) / 2 <= total * share) {
    sum += weight(pairs[count++]);
  }
  return std::clamp<std::size_t>(count, 1, pairs.size() - 1);
}

TEST(PairPartition, PartsAsSortingAndCuttingDoes) {
  std::mt19937_64 random(3);
  for (const bool by_target : {false, true}) {
    PairPartition part(300, by_target);
    for (int round = 0; round < 400; ++round) {
      const auto pairs = random_pairs(2 + random() % 299, 1 + random() % 40, random);
      const LengthSide side = random() % 2 == 0 ? &PairLength::source : &PairLength::target;
      const double share =
          round % 10 == 0 ? static_cast<double>(round % 20) / 10 : static_cast<double>(random() % 100) / 100;
      auto sorted = pairs;
      const std::size_t expected = sort_and_cut(sorted, side, share, by_target);
      auto parted = pairs;
      const std::size_t first = part(parted, side, share);
      ASSERT_EQ(first, expected);
      auto wanted_first = indices(std::span(sorted).first(first));
      auto wanted_rest = indices(std::span(sorted).subspan(first));
      std::ranges::sort(wanted_first);  // indices rise in the order in which pairs came
      std::ranges::sort(wanted_rest);
      ASSERT_EQ(indices(std::span(parted).first(first)), wanted_first);
      ASSERT_EQ(indices(std::span(parted).subspan(first)), wanted_rest);
    }
  }
}

TEST(PairPartition, TakesTheLongestLengthsThereAre) {
  PairPartition part(2, /*weigh_by_target=*/true);
  std::vector<PlannedPair> pairs{{.index = 0, .length = {.source = 65535, .target = 65535}},
                                 {.index = 1, .length = {.source = 65535, .target = 65534}}};
  EXPECT_EQ(part(pairs, &PairLength::source, 0.5), 1U);
  EXPECT_THAT(indices(pairs), ::testing::ElementsAre(1, 0));
}

}  // namespace
}  // namespace translate::trainer
