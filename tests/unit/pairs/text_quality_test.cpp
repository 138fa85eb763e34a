#include "pairs/text_quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "unit/pairs/word_pairs.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using translate::testing::opener_of_list;
using translate::testing::word_pairs;

TEST(TextQualityTest, NoiseIsWhatCleaningLeavesOutButForRepeatedPairs) {
  auto pairs = word_pairs(2000);
  for (std::size_t i = 0; i < pairs.size(); i += 4) {
    pairs[i].target = pairs[i].source;
  }
  for (std::size_t i = 0; i < 500; ++i) {
    pairs.push_back(pairs[4 * i + 1]);
  }
  const auto quality = quality_of(opener_of_list(pairs), {});
  EXPECT_EQ(quality.pairs, 2000);
  EXPECT_DOUBLE_EQ(quality.noise, 0.25);
}

TEST(TextQualityTest, OnlyTheBeginningIsRead) {
  auto pairs = word_pairs(21'000);
  for (std::size_t i = 20'000; i < pairs.size(); ++i) {
    pairs[i].target.clear();
  }
  const auto quality = quality_of(opener_of_list(pairs), {});
  EXPECT_LE(quality.pairs, 20'000);
  EXPECT_LT(quality.noise, 0.01);
}

TEST(TextQualityTest, ATextWithoutPairsIsNoBetter) {
  const std::vector<SentencePair> none;
  EXPECT_DOUBLE_EQ(quality_of(opener_of_list(none), {}).noise, 1.0);
}

TEST(TextQualityTest, BetterTextsAreMuchCleanerThanTheWorstAndNotTooSmall) {
  EXPECT_THAT(better_texts(std::vector<TextQuality>{{5000, 0.3}, {5000, 0.02}, {5000, 0.1}, {500, 0.0}}),
              ElementsAre(1));
  EXPECT_THAT(better_texts(std::vector<TextQuality>{{5000, 0.09}, {5000, 0.0}}), IsEmpty());
  EXPECT_THAT(better_texts({}), IsEmpty());
}

}  // namespace
}  // namespace translate
