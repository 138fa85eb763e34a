#include "translate/data/epoch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace translate {
namespace {

/// Lengths like those of captions or of ordinary text: related on both sides, with a long tail.
std::vector<PairLength> random_lengths(std::size_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<PairLength> lengths;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t length = 3;
    for (int k = 0; k < 4; ++k) length += static_cast<std::int64_t>(random() % 7);
    if (random() % 50 == 0) length *= 3;
    lengths.push_back({.source = length + static_cast<std::int64_t>(random() % 6),
                       .target = length + static_cast<std::int64_t>(random() % 6)});
  }
  return lengths;
}

std::int64_t target_tokens(const std::vector<PairLength>& lengths, const std::vector<std::size_t>& batch) {
  std::int64_t sum = 0;
  for (const std::size_t pair : batch) sum += lengths[pair].target;
  return sum;
}

TEST(EpochPlan, HoldsEveryPairExactlyOnce) {
  for (const std::size_t count : {1U, 2U, 3U, 17U, 5000U}) {
    const auto lengths = random_lengths(count);
    for (const BatchOptions options : {BatchOptions{.batch_tokens = 300}, BatchOptions{.batch_tokens = 1},
                                       BatchOptions{.batch_sentences = 7}, BatchOptions{.batch_tokens = 1000000}}) {
      std::vector<int> seen(count, 0);
      for (const auto& batch : plan_epoch(lengths, options, 1, 1)) {
        EXPECT_FALSE(batch.empty());
        for (const std::size_t pair : batch) ++seen.at(pair);
      }
      EXPECT_THAT(seen, ::testing::Each(1));
    }
  }
  EXPECT_TRUE(plan_epoch({}, {}, 1, 1).empty());
}

TEST(EpochPlan, FillsBatchesToTheBudgetAndNotBeyond) {
  const auto lengths = random_lengths(20000);
  for (const std::int64_t budget : {1024, 4096}) {
    const EpochPlan plan = plan_epoch(lengths, {.batch_tokens = budget}, 1, 1);
    std::int64_t total = 0;
    for (const auto& batch : plan) {
      EXPECT_LE(target_tokens(lengths, batch), budget);
      total += target_tokens(lengths, batch);
    }
    EXPECT_GT(static_cast<double>(total) / static_cast<double>(std::ssize(plan) * budget), 0.95);
  }
}

TEST(EpochPlan, GivesAPairOverTheBudgetABatchOfItsOwn) {
  auto lengths = random_lengths(500);
  lengths[123] = {.source = 400, .target = 400};
  lengths[321] = {.source = 500, .target = 300};
  int alone = 0;
  for (const auto& batch : plan_epoch(lengths, {.batch_tokens = 256}, 1, 1)) {
    if (target_tokens(lengths, batch) > 256) {
      EXPECT_EQ(batch.size(), 1U);
      ++alone;
    }
  }
  EXPECT_EQ(alone, 2);
}

TEST(EpochPlan, CountsSentencesWhereAsked) {
  const auto lengths = random_lengths(1003);
  const EpochPlan plan = plan_epoch(lengths, {.batch_tokens = 1, .batch_sentences = 10}, 1, 1);
  EXPECT_EQ(plan.size(), 101U);
  for (const auto& batch : plan) {
    EXPECT_LE(batch.size(), 10U);
    EXPECT_GE(batch.size(), 9U);
  }
}

TEST(EpochPlan, BoundsPaddedPositionsOfEitherSide) {
  // Very short targets whose sources are long now and then: by target tokens alone, one batch.
  std::vector<PairLength> lengths(400, {.source = 4, .target = 2});
  for (std::size_t i = 0; i < lengths.size(); i += 40) lengths[i].source = 200;
  for (const auto& batch : plan_epoch(lengths, {.batch_tokens = 1000}, 1, 1)) {
    std::int64_t longest = 0;
    for (const std::size_t pair : batch) longest = std::max(longest, lengths[pair].source);
    EXPECT_LE(longest * std::ssize(batch), 4000);
  }
}

TEST(EpochPlan, PadsLittle) {
  const auto lengths = random_lengths(30000);
  EXPECT_LT(padding_share(lengths, plan_epoch(lengths, {.batch_tokens = 1024}, 1, 1)), 0.03);
  EXPECT_LT(padding_share(lengths, plan_epoch(lengths, {.batch_tokens = 4096}, 1, 1)), 0.05);
}

TEST(EpochPlan, IsAFunctionOfSeedAndEpoch) {
  const auto lengths = random_lengths(3000);
  const BatchOptions options{.batch_tokens = 500};
  const EpochPlan plan = plan_epoch(lengths, options, 1, 1);
  EXPECT_EQ(plan_epoch(lengths, options, 1, 1), plan);
  for (const auto& [seed, epoch] : {std::pair{1U, 2U}, std::pair{2U, 1U}}) {
    const EpochPlan other = plan_epoch(lengths, options, seed, epoch);
    EXPECT_NE(other, plan);
    // Not only the order differs: other pairs meet.
    const auto as_sets = [](const EpochPlan& batches) {
      std::set<std::set<std::size_t>> sets;
      for (const auto& batch : batches) sets.emplace(batch.begin(), batch.end());
      return sets;
    };
    const auto sets = as_sets(plan);
    std::size_t same = 0;
    for (const auto& batch : as_sets(other)) same += sets.count(batch);
    EXPECT_LT(same, plan.size() / 10);
  }
}

TEST(EpochPlan, ShufflesTheOrderOfLengths) {
  const auto lengths = random_lengths(20000);
  const EpochPlan plan = plan_epoch(lengths, {.batch_tokens = 500}, 1, 1);
  std::size_t rises = 0;
  for (std::size_t i = 1; i < plan.size(); ++i) {
    rises += lengths[plan[i].front()].target > lengths[plan[i - 1].front()].target ? 1U : 0U;
  }
  EXPECT_GT(rises, plan.size() * 35 / 100);
  EXPECT_LT(rises, plan.size() * 65 / 100);
}

TEST(EpochPlan, MeasuresPadding) {
  const std::vector<PairLength> lengths{
      {.source = 3, .target = 2}, {.source = 1, .target = 4}, {.source = 9, .target = 9}};
  EXPECT_DOUBLE_EQ(padding_share(lengths, {{0, 1}, {2}}), 1.0 - 28.0 / 32.0);
  EXPECT_DOUBLE_EQ(padding_share(lengths, {{0}, {1}, {2}}), 0.0);
  EXPECT_DOUBLE_EQ(padding_share(lengths, {}), 0.0);
}

TEST(EpochPlan, CountsSpecialPositionsInLengths) {
  EncodedCorpus corpus;
  corpus.source.append(std::vector<std::int32_t>{7, 8, 9});
  corpus.target.append(std::vector<std::int32_t>{7});
  EXPECT_THAT(pair_lengths(corpus), ::testing::ElementsAre(PairLength{.source = 5, .target = 2}));
}

}  // namespace
}  // namespace translate
