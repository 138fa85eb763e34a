#include "pairs/held_out_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "pairs/near_duplicate_index.h"

namespace translate {
namespace {

/// Sentences in which many differ in one word, and many targets are those of several sources.
std::vector<SentencePair> sentences() {
  const std::array nouns = {"cat", "dog", "horse", "child", "bird", "woman", "man", "boy", "girl", "cow"};
  const std::array verbs = {"sees", "hears", "likes", "finds", "loses", "feeds", "calls", "meets"};
  std::vector<SentencePair> all;
  for (std::size_t i = 0; i < 8000; ++i) {
    const auto word = [&](auto& words, std::size_t by) { return std::string(words[i / by % words.size()]); };
    const auto rare =
        "x" + std::string(1, static_cast<char>('a' + i % 26)) + std::string(1, static_cast<char>('a' + i / 26 % 26));
    all.push_back(
        {word(nouns, 1) + " " + word(verbs, 10) + " the " + word(nouns, 80) + " near " + rare + " " + rare + "q",
         "t" + rare + " " + word(nouns, 80) + " " + word(verbs, 10) + " u" + rare + " v" + word(nouns, 7)});
  }
  return all;
}

std::vector<PairUse> uses(const std::vector<SentencePair>& pairs, std::size_t each, std::uint64_t seed) {
  HeldOutPairs held_out(each, seed);
  for (const auto& pair : pairs) {
    held_out.propose(pair);
  }
  held_out.index_candidates();
  for (const auto& pair : pairs) {
    held_out.count_near_duplicates(pair);
  }
  held_out.choose();
  std::vector<PairUse> all;
  for (const auto& pair : pairs) {
    all.push_back(held_out.use_of(pair));
  }
  return all;
}

TEST(HeldOutPairs, AreAsManyAsWantedAndHaveNoNearDuplicateInTraining) {
  const auto pairs = sentences();
  const auto all = uses(pairs, 100, 1);
  EXPECT_EQ(std::ranges::count(all, PairUse::kValidation), 100);
  EXPECT_EQ(std::ranges::count(all, PairUse::kTest), 100);
  EXPECT_GT(std::ranges::count(all, PairUse::kTraining), 7000);
  NearDuplicateIndex sources;
  NearDuplicateIndex targets;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (all[i] == PairUse::kValidation || all[i] == PairUse::kTest) {
      sources.add(pairs[i].source, i);
      targets.add(pairs[i].target, i);
    }
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (all[i] == PairUse::kTraining) {
      EXPECT_FALSE(sources.find(pairs[i].source)) << pairs[i].source;
      EXPECT_FALSE(targets.find(pairs[i].target)) << pairs[i].target;
    }
  }
}

TEST(HeldOutPairs, AreAFunctionOfTheSeed) {
  const auto pairs = sentences();
  EXPECT_EQ(uses(pairs, 50, 1), uses(pairs, 50, 1));
  EXPECT_NE(uses(pairs, 50, 1), uses(pairs, 50, 2));
}

TEST(HeldOutPairs, AThirtiethWithinLimits) {
  EXPECT_EQ(held_out_size(30'000), 1000U);
  EXPECT_EQ(held_out_size(6'000), 200U);
  EXPECT_EQ(held_out_size(2'000), 100U);
  EXPECT_EQ(held_out_size(300), 30U);
  EXPECT_EQ(held_out_size(3'000'000), 1000U);
}

}  // namespace
}  // namespace translate
