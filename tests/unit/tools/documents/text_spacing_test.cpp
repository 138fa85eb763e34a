#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/text_parts.h"

namespace translate::tools {
namespace {

std::string moved(std::string_view source, std::string_view translation) {
  TextSpacing spacing;
  (void)take_spacing(source, spacing);
  return apply_spacing(translation, spacing);
}

TEST(TextSpacing, TheModelSeesOneSpaceBetweenWords) {
  TextSpacing spacing;
  EXPECT_EQ(take_spacing("one\n\ttwo  three four", spacing), "one two three four");
  EXPECT_EQ(spacing.gaps.size(), 2U);
  EXPECT_EQ(take_spacing("one two", spacing), "one two");
  EXPECT_TRUE(spacing.gaps.empty());
  EXPECT_EQ(take_spacing("", spacing), "");
}

TEST(TextSpacing, TheSameTextGetsItsOwnWhiteSpaceBack) {
  for (const std::string text : {"a", "a b", "a\nb", "a\r\n  b\tc  d", "One.\nTwo!  Three?\nfour"}) {
    TextSpacing spacing;
    EXPECT_EQ(apply_spacing(take_spacing(text, spacing), spacing), text);
  }
}

TEST(TextSpacing, LineEndsBehindSentencesStayBehindThem) {
  EXPECT_EQ(moved("The cat sat.\nIt slept.", "Le chat s'est assis sur le tapis. Il a dormi."),
            "Le chat s'est assis sur le tapis.\nIl a dormi.");
  EXPECT_EQ(moved("He said \"no.\"\n\nThen he left.", "Er sagte: »Nein.« Dann ging er."),
            "Er sagte: »Nein.«\n\nDann ging er.");
}

TEST(TextSpacing, ALineOfChineseGoesOnWithoutASpace) {
  TextSpacing spacing;
  EXPECT_EQ(take_spacing("猫坐\n下了。\n  它睡了。", spacing), "猫坐下了。它睡了。");
  EXPECT_EQ(spacing.gaps.size(), 2U);
  EXPECT_EQ(take_spacing("고양이가\n앉았다.", spacing), "고양이가 앉았다.");
  EXPECT_EQ(take_spacing("猫 坐下了。", spacing), "猫 坐下了。");
}

TEST(TextSpacing, LineEndsBehindSentencesStayBehindThemWithoutSpaces) {
  EXPECT_EQ(moved("The cat sat.\nIt slept.", "猫坐下了。它睡了。"), "猫坐下了。\n它睡了。");
  EXPECT_EQ(moved("「猫？」\n它睡了。", "\"A cat?\" It slept."), "\"A cat?\"\nIt slept.");
  EXPECT_EQ(moved("Did it sleep?\nYes.", "它睡了吗？」是。"), "它睡了吗？」\n是。");
}

TEST(TextSpacing, LineEndsInsideSentencesStandBehindTheSameShareOfTheWords) {
  EXPECT_EQ(moved("one two\nthree four", "a b c d e f"), "a b c\nd e f");
  EXPECT_EQ(moved("a b c d e\nf", "x y"), "x y\n");
}

TEST(TextSpacing, NoLineEndIsLostInATranslationOfAnyLength) {
  for (const std::string translation : {"", "x", "x y", "x. y. z.", "u v w x y z"}) {
    const auto text = moved("a\n\nb.\n c\r\nd", translation);
    std::string space;
    for (const char c : text) {
      if (c == '\n' || c == '\r') {
        space += c;
      }
    }
    EXPECT_EQ(space, "\n\n\n\r\n") << translation;
  }
}

}  // namespace
}  // namespace translate::tools
