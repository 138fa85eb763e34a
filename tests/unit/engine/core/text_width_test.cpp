#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/terminal.h"

namespace translate {
namespace {

using Lines = std::vector<std::string>;

TEST(TextWidthTest, WrapsBetweenWords) {
  EXPECT_EQ(wrap("the cat sat on the mat", 7), (Lines{"the cat", "sat on", "the mat"}));
  EXPECT_EQ(wrap("  the \t\n cat  ", 80), (Lines{"the cat"}));
  EXPECT_EQ(wrap("a longer-than-the-line word", 6), (Lines{"a", "longer-than-the-line", "word"}));
  EXPECT_EQ(wrap("", 6), Lines());
  EXPECT_EQ(wrap("  \n", 6), Lines());
}

TEST(TextWidthTest, WrapsByColumnsNotByBytes) {
  EXPECT_EQ(wrap("é é é", 5), (Lines{"é é é"}));
  EXPECT_EQ(wrap("猫 猫 猫", 5), (Lines{"猫 猫", "猫"}));
}

TEST(TextWidthTest, BreaksLinesAtSpacesAndLeavesTheRest) {
  EXPECT_EQ(break_lines("the cat  sat on it", 10, 2), "the cat\n  sat on\n  it");
  EXPECT_EQ(break_lines("the cat  sat on it", 80, 2), "the cat  sat on it");
  EXPECT_EQ(break_lines("the cat\n\n  sat on the mat\n", 12, 0), "the cat\n\n  sat on the\nmat\n");
  EXPECT_EQ(break_lines("a longer-than-the-line word", 6, 1), "a\n longer-than-the-line\n word");
  EXPECT_EQ(break_lines("      longer-than-the-line", 6, 1), "      longer-than-the-line");
  EXPECT_EQ(break_lines("ends in spaces    ", 14, 1), "ends in spaces    ");
  EXPECT_EQ(break_lines("猫 猫 猫", 5, 0), "猫 猫\n猫");
  EXPECT_EQ(break_lines("", 5, 1), "");
}

TEST(TextWidthTest, CutsAtColumns) {
  EXPECT_EQ(cut_to_width("été", 2), "ét");
  EXPECT_EQ(cut_to_width("猫が", 3), "猫");
  EXPECT_EQ(cut_to_width("abc", 9), "abc");
  EXPECT_EQ(cut_to_width("abc", 0), "");
}

}  // namespace
}  // namespace translate
