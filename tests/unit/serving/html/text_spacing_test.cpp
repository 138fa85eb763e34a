#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/html/text_parts.h"

namespace translate {
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

TEST(TextSpacing, OthersStandBehindAsLargeAShareOfTheWords) {
  EXPECT_EQ(moved("one two\nthree four", "a b c d e f"), "a b c\nd e f");
  EXPECT_EQ(moved("a b c d e\nf", "x y"), "x y\n");
}

TEST(TextSpacing, AllOfItStandsInATranslationOfAnyLength) {
  for (const std::string translation : {"", "x", "x y", "x. y. z.", "u v w x y z"}) {
    const auto text = moved("a\n\nb.\n c\r\nd", translation);
    std::string space;
    for (const char c : text) {
      if (c == '\n' || c == '\r') space += c;
    }
    EXPECT_EQ(space, "\n\n\n\r\n") << translation;
  }
}

}  // namespace
}  // namespace translate
