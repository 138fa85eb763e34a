#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "inference/attention_cache.h"

namespace translate {
namespace {

constexpr std::int64_t kLayers = 2;
constexpr std::int64_t kWidth = 5;

/// What a row says at each of its positions, read back through its places.
std::vector<float> read(TargetCache& cache, std::int64_t row) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < cache.length(row); ++i) {
    values.push_back(cache.data(1)[cache.places(row)[i] * kWidth]);
  }
  return values;
}

TEST(TargetCache, RowsKeepTheirPositionsWhateverBecomesOfOthers) {
  std::mt19937 random(3);
  TargetCache cache(kLayers, kWidth);
  std::vector<std::vector<float>> expected;
  float next = 0.0F;
  for (int round = 0; round < 200; ++round) {
    if (round % 5 == 0) {
      const auto count = random() % 4;
      cache.add(static_cast<std::int64_t>(count));
      expected.resize(expected.size() + count);
    }
    cache.extend();
    for (std::size_t row = 0; row < expected.size(); ++row) {
      next += 1.0F;
      *cache.newest(1, static_cast<std::int64_t>(row)) = next;
      expected[row].push_back(next);
    }
    if (round % 2 == 0) {
      std::vector<std::int64_t> parents;
      std::vector<std::vector<float>> selected;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (const auto parent = random() % (expected.size() + 1); parent < expected.size() && parents.size() < 12) {
          parents.push_back(static_cast<std::int64_t>(parent));
          selected.push_back(expected[parent]);
        }
      }
      cache.select(parents);
      expected = selected;
    }
    ASSERT_EQ(cache.rows(), std::ssize(expected));
    for (std::int64_t row = 0; row < cache.rows(); ++row) {
      ASSERT_EQ(read(cache, row), expected[static_cast<std::size_t>(row)]) << "round " << round << ", row " << row;
    }
  }
}

TEST(TargetCache, SharesWhatRowsHaveInCommonAndFreesWhatNoneNeeds) {
  TargetCache cache(kLayers, kWidth);
  cache.add(2);
  cache.extend();
  cache.extend();
  EXPECT_EQ(cache.positions_in_use(), 4);
  const std::vector<std::int64_t> four_times = {0, 0, 0, 0};
  cache.select(four_times);
  EXPECT_EQ(cache.positions_in_use(), 2);
  cache.extend();
  EXPECT_EQ(cache.positions_in_use(), 2 + 4);
  const std::vector<std::int64_t> one = {3};
  cache.select(one);
  EXPECT_EQ(cache.positions_in_use(), 3);
  cache.select({});
  EXPECT_EQ(cache.positions_in_use(), 0);
}

}  // namespace
}  // namespace translate
