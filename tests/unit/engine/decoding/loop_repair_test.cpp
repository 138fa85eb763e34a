#include "decoding/loop_repair.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

Hypothesis with_ids(std::vector<std::int64_t> ids, bool truncated = false) {
  Hypothesis hypothesis;
  hypothesis.ids = std::move(ids);
  hypothesis.truncated = truncated;
  return hypothesis;
}

class LoopRepairTest : public ::testing::Test {
 protected:
  LoopRepairTest() {
    sentence_.encoder_input = {1, 10, 11, 2};
    sentence_.max_length = 20;
    sentence_.repairs_loops = true;
    options_.max_length = 256;
  }

  Sentence sentence_;
  DecodingOptions options_;
  Hypothesis sound_ = with_ids({5, 6, 7});
  Hypothesis loop_ = with_ids({5, 7, 7, 7, 7, 7});
};

TEST_F(LoopRepairTest, SoundResultsStay) {
  sentence_.hypotheses = {sound_, loop_};
  EXPECT_FALSE(searches_again(sentence_, options_));
  EXPECT_FALSE(sentence_.is_repaired);
  EXPECT_EQ(sentence_.hypotheses.front().ids, sound_.ids);
}

TEST_F(LoopRepairTest, TheNextSoundHypothesisComesFirst) {
  sentence_.hypotheses = {loop_, sound_};
  EXPECT_FALSE(searches_again(sentence_, options_));
  EXPECT_TRUE(sentence_.is_repaired);
  EXPECT_EQ(sentence_.hypotheses.front().ids, sound_.ids);
  EXPECT_EQ(sentence_.hypotheses.size(), 2);
}

TEST_F(LoopRepairTest, WithoutOneTheSearchForbidsRepetition) {
  sentence_.hypotheses = {loop_};
  EXPECT_TRUE(searches_again(sentence_, options_));
  EXPECT_GT(sentence_.no_repeat_ngram, 0);
  EXPECT_TRUE(sentence_.hypotheses.empty());
  sentence_.hypotheses = {sound_};
  EXPECT_FALSE(searches_again(sentence_, options_));
  EXPECT_TRUE(sentence_.is_repaired);
  EXPECT_EQ(sentence_.hypotheses.front().ids, sound_.ids);
}

TEST_F(LoopRepairTest, ASecondLoopLeavesTheFirst) {
  sentence_.hypotheses = {loop_};
  EXPECT_TRUE(searches_again(sentence_, options_));
  sentence_.hypotheses = {with_ids({8, 8, 8, 8, 8})};
  EXPECT_FALSE(searches_again(sentence_, options_));
  EXPECT_FALSE(sentence_.is_repaired);
  EXPECT_EQ(sentence_.hypotheses.front().ids, loop_.ids);
}

TEST_F(LoopRepairTest, TranslationsAsLongAsTheSourceAllowsAreRepaired) {
  sentence_.hypotheses = {with_ids({5, 6, 7, 8}, /*truncated=*/true)};
  EXPECT_TRUE(searches_again(sentence_, options_));
}

TEST_F(LoopRepairTest, TheUsersLimitIsNoFault) {
  options_.max_length = sentence_.max_length;
  sentence_.hypotheses = {with_ids({5, 6, 7, 8}, /*truncated=*/true)};
  EXPECT_FALSE(searches_again(sentence_, options_));
}

TEST_F(LoopRepairTest, RawSentencesStay) {
  sentence_.repairs_loops = false;
  sentence_.hypotheses = {loop_, sound_};
  EXPECT_FALSE(searches_again(sentence_, options_));
  EXPECT_EQ(sentence_.hypotheses.front().ids, loop_.ids);
}

}  // namespace
}  // namespace translate
