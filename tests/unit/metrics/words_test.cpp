#include "metrics/words.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/utf8.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

using WordViews = std::vector<std::string_view>;

TEST(SplitAtSpaces, SplitsAtWhatPythonTakesForWhiteSpaceAndAtNothingElse) {
  const auto white_space = testing::metric_golden().at("white_space").get<std::set<char32_t>>();
  ASSERT_EQ(white_space.size(), 29U);
  for (char32_t code_point = 1; code_point <= 0x10FFFF; ++code_point) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) {
      continue;  // surrogates have no UTF-8 form
    }
    const std::string text = "x" + encode_utf8({&code_point, 1}) + "y";
    const std::size_t words = split_at_spaces(text).size();
    if (words != (white_space.contains(code_point) ? 2U : 1U)) {
      ADD_FAILURE() << "U+" << std::hex << static_cast<unsigned>(code_point) << " gives " << words << " words";
    }
  }
}

TEST(SplitAtSpaces, RunsOfMixedSpacesSeparateOnce) {
  EXPECT_EQ(split_at_spaces("\u3000 \tun\u00A0\u202F deux\r\n"), (WordViews{"un", "deux"}));
  EXPECT_TRUE(split_at_spaces("").empty());
  EXPECT_TRUE(split_at_spaces("\u2003 \n").empty());
}

TEST(SplitAtSpaces, BrokenBytesBelongToTheWordsTheyTouch) {
  EXPECT_EQ(split_at_spaces("\xE3\x80 \xC2 a\xA0 \xE2\x80"), (WordViews{"\xE3\x80", "\xC2", "a\xA0", "\xE2\x80"}));
}

TEST(TrimTrailingSpaces, TakesAllWhiteSpaceAtTheEndAndNoOther) {
  EXPECT_EQ(trim_trailing_spaces("\u00A0a b \u202F\t\n"), "\u00A0a b");
  EXPECT_EQ(trim_trailing_spaces("é\u3000"), "é");
  EXPECT_EQ(trim_trailing_spaces("a"), "a");
  EXPECT_EQ(trim_trailing_spaces(" \u2028"), "");
  EXPECT_EQ(trim_trailing_spaces(""), "");
}

}  // namespace
}  // namespace translate
