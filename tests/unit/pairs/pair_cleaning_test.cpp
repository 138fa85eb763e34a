#include "pairs/pair_cleaning.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace translate {
namespace {

/// Of a text whose targets are a fifth longer than the sources, more or less.
LengthRatios usual_lengths() {
  LengthRatios lengths;
  for (std::size_t i = 0; i < 1000; ++i) {
    lengths.add({.source = std::string(20 + i % 50, 'a'), .target = std::string(24 + (i % 50) * 6 / 5 + i % 7, 'b')});
  }
  return lengths;
}

TEST(PairCleaning, PairsThatBelongTogetherAreKept) {
  PairCleaning cleaning(usual_lengths());
  EXPECT_EQ(cleaning.judge({"The cat sat on the mat.", "Le chat s'est assis sur le tapis."}), std::nullopt);
  EXPECT_EQ(cleaning.judge({"Yes.", "Oui."}), std::nullopt);
  EXPECT_EQ(cleaning.judge({"I'm 19.", "J'ai 19 ans."}), std::nullopt);
  EXPECT_EQ(cleaning.judge({"\u732B\u304C\u597D\u304D\u3067\u3059\u3002", "I like cats."}), std::nullopt);
}

TEST(PairCleaning, EachReasonIsTold) {
  PairCleaning cleaning(usual_lengths());
  EXPECT_EQ(cleaning.judge({" ", "Oui."}), DropReason::kBlank);
  EXPECT_EQ(cleaning.judge({"Yes.", "Oui\x01."}), DropReason::kControl);
  EXPECT_EQ(cleaning.judge({"A caf\u00C3\u00A9", "Un caf\u00E9"}), DropReason::kMisread);
  EXPECT_EQ(cleaning.judge({std::string(1001, 'a'), "b"}), DropReason::kTooLong);
  EXPECT_EQ(cleaning.judge({"12 - 30 - 12 a", "Douze, trente, douze"}), DropReason::kNoWords);
  EXPECT_EQ(cleaning.judge({"Multi30k is here", "Multi30k is here"}), DropReason::kSame);
  EXPECT_EQ(cleaning.judge({"The cat sat on the mat in the sun.", "Le chat."}), DropReason::kUnevenLengths);
  EXPECT_EQ(cleaning.judge({"Hello", "Bonjour"}), std::nullopt);
  EXPECT_EQ(cleaning.judge({"Hello", "Bonjour"}), DropReason::kRepeated);
  EXPECT_EQ(cleaning.judge({"Hello", "Salut"}), std::nullopt);
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    EXPECT_FALSE(reason_text(static_cast<DropReason>(i)).empty());
  }
}

TEST(PairCleaning, WithoutPairsToLearnFromAllLengthsFit) {
  EXPECT_FALSE(LengthRatios().is_uneven({"The cat sat on the mat in the sun.", "x"}));
}

}  // namespace
}  // namespace translate
