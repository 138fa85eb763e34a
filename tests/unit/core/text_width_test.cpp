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

TEST(TextWidthTest, CutsAtColumns) {
  EXPECT_EQ(cut_to_width("été", 2), "ét");
  EXPECT_EQ(cut_to_width("猫が", 3), "猫");
  EXPECT_EQ(cut_to_width("abc", 9), "abc");
  EXPECT_EQ(cut_to_width("abc", 0), "");
}

}  // namespace
}  // namespace translate
