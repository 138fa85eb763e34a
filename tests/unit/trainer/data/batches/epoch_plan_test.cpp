#include "data/batches/epoch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/random_numbers.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

using Batches = std::vector<std::vector<std::size_t>>;

/// Lengths like those of captions or of ordinary text: related on both sides, with a long tail.
std::vector<PairLength> random_lengths(std::size_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<PairLength> lengths;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t length = 3;
    for (int k = 0; k < 4; ++k) {
      length += static_cast<std::int64_t>(random() % 7);
    }
    if (random() % 50 == 0) {
      length *= 3;
    }
    const auto source = length + static_cast<std::int64_t>(random() % 6);
    const auto target = length + static_cast<std::int64_t>(random() % 6);
    lengths.push_back(pair_length(source - 2, target - 1));
  }
  return lengths;
}

EpochPlan plan_of(const std::vector<PairLength>& lengths, const BatchOptions& options, std::uint64_t seed = 1,
                  std::uint64_t epoch = 1) {
  PageBlock<PlannedPair> pairs(lengths.size());
  for (std::uint32_t i = 0; i < lengths.size(); ++i) {
    pairs.span()[i] = {.index = i, .length = lengths[i]};
  }
  return plan_epoch(std::move(pairs), options, seed, epoch);
}

Batches batches_of(const EpochPlan& plan) {
  Batches batches;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    batches.emplace_back(plan[i].begin(), plan[i].end());
  }
  return batches;
}

std::int64_t target_tokens(const std::vector<PairLength>& lengths, const std::vector<std::size_t>& batch) {
  std::int64_t sum = 0;
  for (const std::size_t pair : batch) {
    sum += lengths[pair].target;
  }
  return sum;
}

TEST(EpochPlan, HoldsEveryPairExactlyOnce) {
  for (const std::size_t count : {1U, 2U, 3U, 17U, 5000U}) {
    const auto lengths = random_lengths(count);
    for (const BatchOptions options : {BatchOptions{.batch_tokens = 300}, BatchOptions{.batch_tokens = 1},
                                       BatchOptions{.batch_sentences = 7}, BatchOptions{.batch_tokens = 1000000}}) {
      std::vector<int> seen(count, 0);
      for (const auto& batch : batches_of(plan_of(lengths, options))) {
        EXPECT_FALSE(batch.empty());
        for (const std::size_t pair : batch) {
          ++seen.at(pair);
        }
      }
      EXPECT_THAT(seen, ::testing::Each(1));
    }
  }
  EXPECT_EQ(plan_of({}, {}).size(), 0U);
}

TEST(EpochPlan, FillsBatchesToTheBudgetAndNotBeyond) {
  const auto lengths = random_lengths(20000);
  for (const std::int64_t budget : {1024, 4096}) {
    const Batches plan = batches_of(plan_of(lengths, {.batch_tokens = budget}));
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
  for (const auto& batch : batches_of(plan_of(lengths, {.batch_tokens = 256}))) {
    if (target_tokens(lengths, batch) > 256) {
      EXPECT_EQ(batch.size(), 1U);
      ++alone;
    }
  }
  EXPECT_EQ(alone, 2);
}

TEST(EpochPlan, CountsSentencesWhereAsked) {
  const auto lengths = random_lengths(1003);
  const Batches plan = batches_of(plan_of(lengths, {.batch_tokens = 1, .batch_sentences = 10}));
  EXPECT_EQ(plan.size(), 101U);
  for (const auto& batch : plan) {
    EXPECT_LE(batch.size(), 10U);
    EXPECT_GE(batch.size(), 9U);
  }
}

TEST(EpochPlan, BoundsPaddedPositionsOfEitherSide) {
  // Very short targets whose sources are long now and then: by target tokens alone, one batch.
  std::vector<PairLength> lengths(400, {.source = 4, .target = 2});
  for (std::size_t i = 0; i < lengths.size(); i += 40) {
    lengths[i].source = 200;
  }
  for (const auto& batch : batches_of(plan_of(lengths, {.batch_tokens = 1000}))) {
    std::int64_t longest = 0;
    for (const std::size_t pair : batch) {
      longest = std::max<std::int64_t>(longest, lengths[pair].source);
    }
    EXPECT_LE(longest * std::ssize(batch), 4000);
  }
}

TEST(EpochPlan, PadsLittle) {
  const auto lengths = random_lengths(30000);
  EXPECT_LT(plan_of(lengths, {.batch_tokens = 1024}).padding_share(), 0.03);
  EXPECT_LT(plan_of(lengths, {.batch_tokens = 4096}).padding_share(), 0.05);
}

TEST(EpochPlan, IsAFunctionOfSeedAndEpoch) {
  const auto lengths = random_lengths(3000);
  const BatchOptions options{.batch_tokens = 500};
  const Batches plan = batches_of(plan_of(lengths, options));
  EXPECT_EQ(batches_of(plan_of(lengths, options)), plan);
  for (const auto& [seed, epoch] : {std::pair{1U, 2U}, std::pair{2U, 1U}}) {
    const Batches other = batches_of(plan_of(lengths, options, seed, epoch));
    EXPECT_NE(other, plan);
    // Not only the order differs: other pairs meet.
    const auto as_sets = [](const Batches& batches) {
      std::set<std::set<std::size_t>> sets;
      for (const auto& batch : batches) {
        sets.emplace(batch.begin(), batch.end());
      }
      return sets;
    };
    const auto sets = as_sets(plan);
    std::size_t same = 0;
    for (const auto& batch : as_sets(other)) {
      same += sets.count(batch);
    }
    EXPECT_LT(same, plan.size() / 10);
  }
}

TEST(EpochPlan, ShufflesTheOrderOfLengths) {
  const auto lengths = random_lengths(20000);
  const EpochPlan plan = plan_of(lengths, {.batch_tokens = 500});
  std::size_t rises = 0;
  for (std::size_t i = 1; i < plan.size(); ++i) {
    rises += lengths[plan[i].front()].target > lengths[plan[i - 1].front()].target ? 1U : 0U;
  }
  EXPECT_GT(rises, plan.size() * 35 / 100);
  EXPECT_LT(rises, plan.size() * 65 / 100);
}

TEST(EpochPlan, MeasuresPadding) {
  const auto lengths = random_lengths(700);
  for (const std::int64_t sentences : {1, 2, 9, 700}) {
    const EpochPlan plan = plan_of(lengths, {.batch_sentences = sentences});
    std::int64_t real = 0;
    std::int64_t positions = 0;
    for (const auto& batch : batches_of(plan)) {
      PairLength longest;
      for (const std::size_t pair : batch) {
        real += lengths[pair].source + lengths[pair].target;
        longest.source = std::max(longest.source, lengths[pair].source);
        longest.target = std::max(longest.target, lengths[pair].target);
      }
      positions += std::ssize(batch) * (longest.source + longest.target);
    }
    EXPECT_DOUBLE_EQ(plan.padding_share(), 1.0 - static_cast<double>(real) / static_cast<double>(positions));
  }
  EXPECT_DOUBLE_EQ(plan_of(lengths, {.batch_sentences = 1}).padding_share(), 0.0);
  EXPECT_DOUBLE_EQ(plan_of({}, {}).padding_share(), 0.0);
}

TEST(EpochPlan, CountsThePaddingToAFixedLength) {
  const std::vector<PairLength> lengths = {{.source = 5, .target = 3}, {.source = 12, .target = 10}};
  const EpochPlan plan = plan_of(lengths, {.batch_sentences = 1, .pad_to = 11});
  EXPECT_DOUBLE_EQ(plan.padding_share(), 1.0 - (5 + 3 + 12 + 10) / static_cast<double>(11 + 11 + 12 + 11));
  // The batches are those without it.
  const auto many = random_lengths(700);
  EXPECT_EQ(batches_of(plan_of(many, {.batch_sentences = 9, .pad_to = 300})),
            batches_of(plan_of(many, {.batch_sentences = 9})));
}

TEST(EpochPlan, IsTheSameOnEveryPlatform) {
  const auto lengths = random_lengths(3000);
  const auto sum_of = [&](const BatchOptions& options) {  // over all batches, in their order
    std::uint64_t sum = 0;
    for (const auto& batch : batches_of(plan_of(lengths, options, 7, 3))) {
      for (const std::size_t pair : batch) {
        sum = mix_seeds({sum, pair});
      }
      sum = mix_seeds({sum, batch.size()});
    }
    return sum;
  };
  // From an implementation that sorts before each cut.
  EXPECT_EQ(sum_of({.batch_tokens = 400}), 1564841849374604829U);
  EXPECT_EQ(sum_of({.batch_tokens = 4000}), 9716186042646732892U);
  EXPECT_EQ(sum_of({.batch_tokens = 1, .batch_sentences = 7}), 2644190485849147506U);
}

TEST(EpochPlan, CountsSpecialPositionsInLengths) {
  EXPECT_EQ(pair_length(3, 1), (PairLength{.source = 5, .target = 2}));
  EXPECT_EQ(pair_length(0, 0), (PairLength{.source = 2, .target = 1}));
  EXPECT_EQ(pair_length(65533, 1'000'000), (PairLength{.source = 65535, .target = 65535}));
  const SampleCorpus corpus = sample_corpus(40);
  const auto pairs = planned_pairs(*corpus.encoded);
  ASSERT_EQ(pairs.size(), 40U);
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_EQ(pairs.span()[i].index, i);
    EXPECT_EQ(pairs.span()[i].length.source, corpus.encoded->subwords(Side::kSource, i).size() + 2);
    EXPECT_EQ(pairs.span()[i].length.target, corpus.encoded->subwords(Side::kTarget, i).size() + 1);
  }
}

}  // namespace
}  // namespace translate::trainer
