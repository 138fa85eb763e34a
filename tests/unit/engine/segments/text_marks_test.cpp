#include "segments/text_marks.h"

#include <gtest/gtest.h>

#include <vector>

namespace translate {
namespace {

TEST(TextMarks, WordsAreParted) {
  EXPECT_EQ(words_of("  a bé\u3000c"), (std::vector<TextMark>{{2, 3}, {4, 7}, {10, 11}}));
  EXPECT_TRUE(words_of(" ").empty());
}

TEST(TextMarks, PunctuationIsThatAroundWords) {
  EXPECT_EQ(leading_punctuation("«(a) b.»"), 3U);
  EXPECT_EQ(trailing_punctuation("«(a) b.»"), 3U);
  EXPECT_EQ(leading_punctuation("..."), 0U);
  EXPECT_EQ(trailing_punctuation("..."), 0U);
}

TEST(TextMarks, LinksOutOfTheTextsDoNotCount) {
  const Alignment alignment = {{0, 1}, {1, 0}, {1, 1}, {2, 0}, {0, 2}, {-1, 0}};
  EXPECT_EQ(aligned_sources(alignment, 2, 2), (std::vector<std::vector<std::size_t>>{{1}, {0, 1}}));
}

}  // namespace
}  // namespace translate
