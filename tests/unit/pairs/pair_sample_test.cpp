#include "pairs/pair_sample.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/random_numbers.h"

namespace translate {
namespace {

PairWords words_with_key(std::uint64_t key) {
  return {.source = {1, 2}, .target = {3}, .source_characters = 5, .target_characters = 6, .key = key};
}

TEST(PairWords, CaseDoesNotCountAndScriptsWithoutSpacesGiveCharacters) {
  const auto one = words_of({"The cat", "\u732b\u304c\u5bdd\u305f"}, 9);
  const auto other = words_of({"the CAT!", "\u732b\u304c"}, 9);
  EXPECT_EQ(one.source, other.source);
  EXPECT_EQ(one.source.size(), 2U);
  EXPECT_EQ(one.target.size(), 4U);
  EXPECT_EQ(other.target, std::vector(one.target.begin(), one.target.begin() + 2));
  EXPECT_EQ(one.target_characters, 4U);
  EXPECT_EQ(one.key, 9U);
}

TEST(PairSample, HasThePairsWithTheLowestKeysInAnyOrder) {
  constexpr std::size_t kMost = 100;
  std::vector<std::set<std::uint64_t>> kept(2);
  for (std::size_t order = 0; order < 2; ++order) {
    PairSample sample(kMost);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      sample.add(words_with_key(mix_seeds({order == 0 ? i : 999 - i})));
    }
    EXPECT_LE(sample.size(), kMost);
    EXPECT_GE(sample.size(), kMost / 4);
    for (std::size_t i = 0; i < sample.size(); ++i) {
      kept[order].insert(sample[i].key);
    }
  }
  EXPECT_EQ(kept[0], kept[1]);
}

TEST(PairSample, TakesNoMoreWordsThanItMay) {
  PairSample sample(1000, 90);  // 30 pairs of three words
  for (std::uint64_t i = 0; i < 1000; ++i) {
    sample.add(words_with_key(mix_seeds({i})));
  }
  EXPECT_LE(sample.size(), 30U);
  EXPECT_GE(sample.size(), 5U);
}

TEST(PairSample, LeavesOutPairsThatTellLittle) {
  PairSample sample;
  sample.add({.source = {}, .target = {1}});
  sample.add({.source = std::vector<std::int32_t>(151, 7), .target = {1}});
  EXPECT_EQ(sample.size(), 0U);
  sample.add(words_with_key(4));
  ASSERT_EQ(sample.size(), 1U);
  EXPECT_EQ(sample[0].source.size(), 2U);
  EXPECT_EQ(sample[0].target_characters, 6U);
}

}  // namespace
}  // namespace translate
