#include "text/word_characters.h"

#include <gtest/gtest.h>

#include <string_view>

#include "core/file.h"
#include "unit/engine/text/word_level_fixture.h"

namespace translate {
namespace {

TEST(WordCharacters, AreTheOnesOfThePackageAtEveryCodePoint) {
  const auto expected = nlohmann::json::parse(golden_text_file("expected.json"));
  const auto block = expected.at("block").get<std::uint32_t>();
  const auto sums = expected.at("kinds_crc32").get<std::vector<std::uint32_t>>();
  ASSERT_EQ(block * sums.size(), 0x110000U);
  for (std::uint32_t number = 0; number < sums.size(); ++number) {
    std::string kinds;
    for (char32_t c = number * block; c < (number + 1) * block; ++c) {
      const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
      kinds += surrogate ? 'x' : is_white_space(c) ? 's' : is_word_character(c) ? 'w' : 'o';
    }
    EXPECT_EQ(crc32(kinds), sums[number]) << "code points from " << std::hex << number * block;
  }
}

TEST(WordCharacters, AreLettersMarksDigitsConnectorsAndJoiners) {
  for (const char32_t c : std::u32string_view(U"aZé東ß0٣_\u0301\u203F\u200D\u2167\u24D0\U0001F170")) {
    EXPECT_TRUE(is_word_character(c)) << std::hex << static_cast<std::uint32_t>(c);
  }
  for (const char32_t c : std::u32string_view(U" '-.²½€\u00B7\u2019\u200B\u3000\U0001F600\uFFFD")) {
    EXPECT_FALSE(is_word_character(c)) << std::hex << static_cast<std::uint32_t>(c);
  }
  EXPECT_FALSE(is_word_character(0));
  EXPECT_FALSE(is_word_character(0x110000));
}

TEST(WhiteSpace, LeavesOutTheInformationSeparators) {
  for (const char32_t c : {0x1C, 0x1D, 0x1E, 0x1F}) {
    EXPECT_FALSE(is_white_space(c));
  }
  for (const char32_t c : {0x09, 0x20, 0x85, 0xA0, 0x3000}) {
    EXPECT_TRUE(is_white_space(c));
  }
}

}  // namespace
}  // namespace translate
