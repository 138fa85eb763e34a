#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "core/random_numbers.h"

namespace translate {
namespace {

TEST(SeededRandom, MixesEveryNumberInItsPlace) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t a = 0; a < 30; ++a) {
    for (std::uint64_t b = 0; b < 30; ++b) {
      seeds.insert(mix_seeds({a, b}));
    }
  }
  EXPECT_EQ(seeds.size(), 900U);
  EXPECT_NE(mix_seeds({1}), mix_seeds({1, 0}));
}

TEST(SeededRandom, MixesAsSplitMix64) {
  // The first outputs of the published generator for the seeds 0 and 1234567.
  EXPECT_EQ(mix_seeds({0}), 0xe220a8397b1dcdafU);
  EXPECT_EQ(mix_seeds({1234567}), 6457827717110365317U);
}

TEST(SeededRandom, DrawsEachNumberAboutEquallyOften) {
  std::mt19937_64 random(3);
  std::map<std::uint64_t, int> counts;
  for (int i = 0; i < 7000; ++i) {
    ++counts[draw_below(random, 7)];
  }
  EXPECT_EQ(counts.size(), 7U);
  for (const auto& [number, count] : counts) {
    EXPECT_LT(number, 7U);
    EXPECT_NEAR(count, 1000, 150);
  }
}

TEST(SeededRandom, DrawsFairlyBelowLimitsThatAreLarge) {
  // With this limit a plain remainder would be below the limit's half twice as often as above it.
  const std::uint64_t limit = (std::uint64_t{1} << 63U) + (std::uint64_t{1} << 62U);
  std::mt19937_64 random(3);
  int below_half = 0;
  for (int i = 0; i < 4000; ++i) {
    below_half += draw_below(random, limit) < limit / 2 ? 1 : 0;
  }
  EXPECT_NEAR(below_half, 2000, 200);
  EXPECT_EQ(draw_below(random, 1), 0U);
}

TEST(SeededRandom, ShufflesTheSameOnEveryPlatform) {
  std::vector<int> values(8);
  std::iota(values.begin(), values.end(), 0);
  std::mt19937_64 random(42);
  shuffle(std::span(values), random);
  EXPECT_EQ(values, (std::vector<int>{7, 0, 5, 1, 2, 4, 3, 6}));
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace translate
