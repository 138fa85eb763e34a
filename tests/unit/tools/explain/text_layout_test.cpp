#include "explain/text_layout.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace translate::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Le;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(TextLayout, WidthIsThatOfATerminal) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("▁été"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);  // combining
  EXPECT_EQ(display_width("猫"), 2U);
  EXPECT_EQ(display_width("\U0001F600"), 2U);
}

TEST(TextLayout, PaddingGivesTheWidthWhateverTheText) {
  for (const std::string text : {"", "a", "▁s'est", "a long piece of text", "猫猫猫猫猫猫", "e\u0301e\u0301"}) {
    for (const std::size_t width : {1U, 2U, 5U, 9U}) {
      EXPECT_EQ(display_width(pad_right(text, width)), width) << text;
      EXPECT_EQ(display_width(pad_left(text, width)), width) << text;
    }
  }
  EXPECT_EQ(pad_left("abcdef", 4), "abc…");
  EXPECT_EQ(pad_right("ab", 4), "ab  ");
}

TEST(TextLayout, NumbersKeepToSevenColumns) {
  EXPECT_EQ(number_text(-0.1234), "-0.123");
  EXPECT_EQ(number_text(12.5), "12.500");
  EXPECT_EQ(number_text(-1234567.0), "-1.2e+06");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(shape_text(std::vector<std::int64_t>{1, 4, 5, 64}), "(1, 4, 5, 64)");
}

TEST(TextLayout, TablesKeepTo80ColumnsAndLoseNothing) {
  std::vector<std::string> subwords;
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 60; ++i) {
    subwords.push_back("▁piece" + std::to_string(i * 37));
    ids.push_back(i * 100);
  }
  const auto table = subword_table(subwords, ids);
  for (const auto& line : lines_of(table)) {
    EXPECT_THAT(display_width(line), Le(kTerminalWidth)) << line;
  }
  for (std::size_t i = 0; i < subwords.size(); ++i) {
    EXPECT_THAT(table, HasSubstr(subwords[i]));
    EXPECT_THAT(table, HasSubstr(fmt::format(" {}", ids[i])));
  }
  const auto weights = weight_table(at::full({3, 40}, 0.025), {});
  for (const auto& line : lines_of(weights)) {
    EXPECT_THAT(display_width(line), Le(kTerminalWidth)) << line;
  }
  EXPECT_THAT(weights, HasSubstr("  39"));
}

TEST(TextLayout, AMaskIsDrawnRowByRow) {
  const auto mask = at::ones({3, 3}, at::kBool).tril();
  EXPECT_EQ(mask_drawing(mask), "    ■ · ·\n    ■ ■ ·\n    ■ ■ ■\n");
  EXPECT_THAT(mask_drawing(at::ones({40, 50}, at::kBool)), HasSubstr("the first 32 x 32 of 40 x 50"));
}

}  // namespace
}  // namespace translate::tools
