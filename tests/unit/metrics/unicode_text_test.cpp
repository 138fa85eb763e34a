#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "core/utf8.h"
#include "metrics/words.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

TEST(ToLowerCase, IsThatOfPython) {
  for (const nlohmann::json& item : testing::metric_variants().at("lower_case")) {
    EXPECT_EQ(to_lower_case(item.at(0).get<std::string>()), item.at(1).get<std::string>());
  }
}

TEST(ToLowerCase, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(to_lower_case("A\xFF"
                          "É\xC3"),
            "a\uFFFDé\uFFFD");
}

TEST(ToLowerCase, HasRoomForEveryCodePoint) {
  for (char32_t code_point = 1; code_point <= 0x10FFFF; ++code_point) {
    const std::string lower = to_lower_case(encode_utf8({&code_point, 1}));
    ASSERT_FALSE(lower.empty()) << static_cast<std::uint32_t>(code_point);
    ASSERT_EQ(to_lower_case(lower), lower) << static_cast<std::uint32_t>(code_point);
  }
}

TEST(UnicodeCategories, AreThoseOfTheStandard) {
  for (const char32_t number : std::u32string_view(U"0½٣Ⅳ①")) {
    EXPECT_TRUE(is_unicode_number(number));
  }
  for (const char32_t punctuation : std::u32string_view(U".,_-«»’…、！")) {
    EXPECT_TRUE(is_unicode_punctuation(punctuation));
    EXPECT_FALSE(is_unicode_symbol(punctuation));
  }
  for (const char32_t symbol : std::u32string_view(U"$+<^`|~€°😀")) {
    EXPECT_TRUE(is_unicode_symbol(symbol));
    EXPECT_FALSE(is_unicode_punctuation(symbol));
  }
  for (const char32_t other : std::u32string_view(U"aé漢 \u00A0\u0301")) {
    EXPECT_FALSE(is_unicode_number(other) || is_unicode_punctuation(other) || is_unicode_symbol(other));
  }
}

}  // namespace
}  // namespace translate
