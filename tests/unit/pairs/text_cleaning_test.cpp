#include "pairs/text_cleaning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "corpora/corpus_reader.h"
#include "pairs/lexical_cleaning.h"
#include "pairs/pair_marks.h"
#include "support/temporary_folder.h"
#include "unit/pairs/word_pairs.h"

namespace translate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using translate::testing::opener_of_list;
using translate::testing::word_for;
using translate::testing::word_pair;
using translate::testing::word_pairs;

constexpr std::size_t kTextPairs = 8000;

std::uint64_t dropped(const CleaningCounts& counts, DropReason reason) {
  return counts.dropped[static_cast<std::size_t>(reason)];
}

class TextCleaningTest : public TemporaryFolderTest {
 protected:
  CleaningCounts clean(const std::vector<SentencePair>& pairs, CleaningOptions options = {}) {
    kept_.clear();
    options.left_out = folder_ / "left-out.tsv";
    return clean_pairs(opener_of_list(pairs), options, [&](const SentencePair& pair) { kept_.push_back(pair); });
  }

  std::vector<SentencePair> kept_;
};

TEST_F(TextCleaningTest, PairsAreKeptAndLeftOutInTheirOrder) {
  auto pairs = word_pairs(kTextPairs);
  pairs[3].target = pairs[3].source;
  pairs[7].target = word_pair(kTextPairs).target;
  for (std::size_t i = 0; i < kTextPairs; i += 25) {
    pairs[i].target = word_pair(kTextPairs + i).target;
  }
  pairs[100].source = " " + pairs[100].source + "\t";
  const auto counts = clean(pairs);
  EXPECT_EQ(counts.read, kTextPairs);
  EXPECT_EQ(counts.kept, kept_.size());
  EXPECT_GT(dropped(counts, DropReason::kMismatched), kTextPairs / 25 * 9 / 10);
  EXPECT_EQ(kept_.front(), pairs[1]);
  const auto left_out = read_lines(folder_ / "left-out.tsv");
  EXPECT_THAT(left_out, SizeIs(1 + counts.read - counts.kept));
  EXPECT_THAT(left_out[1], HasSubstr("the words of the sides do not match\tlist:1\t"));
  EXPECT_THAT(left_out[2], HasSubstr("both sides are the same\tlist:4\t"));
}

TEST_F(TextCleaningTest, FewPairsAreNotJudgedByTheirWords) {
  auto pairs = word_pairs(LexicalCleaning::kFewestPairs / 2);
  pairs[3].target = word_pair(kTextPairs).target;
  const auto counts = clean(pairs);
  EXPECT_TRUE(counts.has_too_few_words);
  EXPECT_EQ(dropped(counts, DropReason::kMismatched), 0U);
  EXPECT_THAT(counts.describe(), Contains(HasSubstr("too few pairs to learn which words belong together")));
  DropReasons allowed;
  allowed.set(static_cast<std::size_t>(DropReason::kMismatched)).set(static_cast<std::size_t>(DropReason::kCut));
  const auto other = clean(pairs, {.allowed = allowed});
  EXPECT_FALSE(other.has_too_few_words);
  EXPECT_THAT(other.describe(), Not(Contains(HasSubstr("too few pairs"))));
}

TEST_F(TextCleaningTest, OfManySourcesOfATargetTenAreKept) {
  auto pairs = word_pairs(100);
  for (std::size_t i = 0; i < 15; ++i) {
    pairs.push_back({.source = "sa sb " + word_for("s", i), .target = "ta tb tc"});
  }
  const auto counts = clean(pairs);
  EXPECT_EQ(dropped(counts, DropReason::kManySources), 15 - kMostSources);
  EXPECT_EQ(std::ranges::count(kept_, "ta tb tc", &SentencePair::target), static_cast<std::ptrdiff_t>(kMostSources));
  DropReasons allowed;
  allowed.set(static_cast<std::size_t>(DropReason::kManySources));
  EXPECT_EQ(clean(pairs, {.allowed = allowed}).kept, pairs.size());
}

TEST_F(TextCleaningTest, PairsThatWereMendedStayMendedInEveryReading) {
  auto pairs = word_pairs(kTextPairs);
  pairs[5].source += " caf\u00C3\u00A9";
  const auto counts = clean(pairs);
  EXPECT_EQ(counts.decoded, 1U);
  EXPECT_TRUE(std::ranges::any_of(kept_, [](const SentencePair& pair) { return pair.source.ends_with(" caf\u00E9"); }));
}

TEST_F(TextCleaningTest, EachPairIsInOneShard) {
  const auto pairs = word_pairs(300);
  std::uint64_t kept = 0;
  for (std::uint64_t number = 0; number < 3; ++number) {
    const auto counts = clean(pairs, {.shard = {.number = number, .of = 3}});
    EXPECT_EQ(counts.read, counts.kept);
    kept += counts.kept;
  }
  EXPECT_EQ(kept, pairs.size());
}

TEST(PairMarks, HoldEveryMark) {
  PairMarks marks;
  std::vector<PairMark> all = {{}, {.is_ours = false}, {.is_decoded = true}, {.is_swapped = true}};
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    all.push_back({.is_swapped = i % 2 == 0, .reason = static_cast<DropReason>(i)});
  }
  for (const auto& mark : all) {
    marks.add(mark);
  }
  ASSERT_EQ(marks.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(marks[i], all[i]) << i;
  }
  marks.set(0, all.back());
  EXPECT_EQ(marks[0], all.back());
}

TEST_F(TextCleaningTest, TheShareThatScoresWorstIsLeftOut) {
  auto pairs = word_pairs(100);
  pairs.insert(pairs.begin() + 40, {"", "nothing"});  // is left out before, and not scored
  std::uint64_t scored = 0;
  CleaningOptions options;
  options.worst = {.share = 0.25, .score = [&](std::span<const SentencePair> some, std::uint64_t of) {
                     EXPECT_EQ(of, 100U);
                     std::vector<float> scores;
                     for (const auto& pair : some) {
                       EXPECT_FALSE(pair.source.empty());
                       scores.push_back(-static_cast<float>(scored++ % 2));
                     }
                     return scores;
                   }};
  const auto counts = clean(pairs, options);
  EXPECT_EQ(scored, 100U);
  EXPECT_EQ(dropped(counts, DropReason::kWorst), 25U);
  ASSERT_THAT(kept_, SizeIs(75));
  for (std::size_t i = 0; i < 50; ++i) {  // the better half
    EXPECT_THAT(kept_, Contains(pairs[i < 20 ? 2 * i : 2 * i + 1]));
  }
}

}  // namespace
}  // namespace translate
