#include "pairs/lexical_cleaning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "core/threads.h"
#include "pairs/lexical_decoys.h"
#include "unit/pairs/word_pairs.h"

namespace translate {
namespace {

using translate::testing::first_half;
using translate::testing::word_pair;
using translate::testing::word_pairs;

constexpr std::size_t kPairs = 8000;

/// A text in which pairs 0, 20, 40, ... have the target of another pair, and pairs 1, 21, ... a half of theirs.
std::vector<SentencePair> noisy_pairs() {
  auto pairs = word_pairs(kPairs);
  for (std::size_t i = 0; i < kPairs; i += 20) {
    pairs[i].target = word_pair(kPairs + i).target;
    pairs[i + 1].target = first_half(pairs[i + 1].target);
  }
  return pairs;
}

LexicalCleaning learn(const std::vector<SentencePair>& pairs, DropReasons allowed = {}) {
  PairSample sample;
  LengthRatios lengths;
  for (const auto& pair : pairs) {
    const auto key = PairCleaning::key_of(pair);
    sample.add(words_of(with_half(pair, key), key));
    lengths.add(pair);
  }
  return LexicalCleaning(sample, lengths, allowed);
}

std::vector<std::optional<DropReason>> reasons_in(const LexicalCleaning& cleaning,
                                                  const std::vector<SentencePair>& pairs) {
  std::vector<std::optional<DropReason>> reasons;
  for (const auto& pair : pairs) {
    reasons.push_back(cleaning.look_at(words_of(pair)).reason);
  }
  return reasons;
}

/// The share of pairs first, first + 20, ... that have a reason; of all others for `first` = 2.
double share_left_out(const std::vector<std::optional<DropReason>>& reasons, std::size_t first) {
  double all = 0;
  double left_out = 0;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (std::min<std::size_t>(i % 20, 2) == first) {
      all += 1;
      left_out += reasons[i] ? 1 : 0;
    }
  }
  return left_out / all;
}

TEST(LexicalCleaning, FindsOtherTargetsAndHalvesAndKeepsTheRest) {
  const auto pairs = noisy_pairs();
  const auto reasons = reasons_in(learn(pairs), pairs);
  EXPECT_GT(share_left_out(reasons, 0), 0.95);
  EXPECT_GT(share_left_out(reasons, 1), 0.8);
  EXPECT_LT(share_left_out(reasons, 2), 0.01);
}

TEST(LexicalCleaning, KeepsATextWithoutNoise) {
  const auto pairs = word_pairs(kPairs);
  EXPECT_LT(share_left_out(reasons_in(learn(pairs), pairs), 2), 0.002);
}

TEST(LexicalCleaning, DependsNeitherOnThreadsNorOnTheOrder) {
  const auto pairs = noisy_pairs();
  auto reversed = pairs;
  std::ranges::reverse(reversed);
  const int before = kernel_threads();
  set_kernel_threads(1);
  const auto one = reasons_in(learn(pairs), pairs);
  set_kernel_threads(4);
  const auto four = reasons_in(learn(reversed), pairs);
  set_kernel_threads(before);
  EXPECT_EQ(one, four);
}

TEST(LexicalCleaning, ReasonsThatAreAllowedLeaveNoPairOut) {
  const auto pairs = noisy_pairs();
  DropReasons allowed;
  allowed.set(static_cast<std::size_t>(DropReason::kMismatched));
  const auto reasons = reasons_in(learn(pairs, allowed), pairs);
  EXPECT_EQ(std::ranges::count(reasons, DropReason::kMismatched), 0);
  EXPECT_GT(std::ranges::count(reasons, DropReason::kCut), 0);
}

TEST(LexicalCleaning, FindsLinesThatStandBesideTheirNeighbours) {
  const auto pairs = noisy_pairs();
  const auto cleaning = learn(pairs);
  const auto [before, own, after] = std::tuple(words_of(pairs[4]), words_of(pairs[5]), words_of(pairs[6]));
  EXPECT_FALSE(cleaning.is_shifted(before, own, after, cleaning.look_at(own).score));
  // Each target one line too high.
  const auto shifted_before = words_of({.source = pairs[4].source, .target = pairs[5].target});
  const auto shifted = words_of({.source = pairs[5].source, .target = pairs[6].target});
  const auto shifted_after = words_of({.source = pairs[6].source, .target = pairs[7].target});
  EXPECT_TRUE(cleaning.is_shifted(shifted_before, shifted, shifted_after, cleaning.look_at(shifted).score));
}

TEST(LexicalCleaning, PairsWithoutWordsAreKept) {
  const auto cleaning = learn(noisy_pairs());
  EXPECT_EQ(cleaning.look_at({}).reason, std::nullopt);
  EXPECT_EQ(cleaning.look_at(words_of({"12", "ta tb"})).reason, std::nullopt);
  EXPECT_FALSE(cleaning.is_shifted({}, {}, {}, 0.0F));
}

TEST(LexicalCleaning, LearnsNothingFromNothing) {
  EXPECT_EQ(LexicalCleaning(PairSample()).look_at(words_of({"sa sb sc sd", "tx ty tz tx"})).reason, std::nullopt);
}

}  // namespace
}  // namespace translate
