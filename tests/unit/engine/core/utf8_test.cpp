#include "core/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace translate {
namespace {

bool is_code_point(char32_t value) { return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF); }

TEST(Utf8Test, EveryCodePointSurvivesEncodingAndDecoding) {
  std::u32string all;
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (is_code_point(value)) {
      all += value;
    }
  }
  const std::string text = encode_utf8(all);
  EXPECT_EQ(text.size(), 0x80 + 0x780 * 2 + (0xF800 - 0x800) * 3 + 0x100000 * 4);
  EXPECT_EQ(first_invalid_utf8(text), std::nullopt);
  EXPECT_TRUE(decode_utf8(text) == all);
  EXPECT_EQ(replace_invalid_utf8(text), text);
}

TEST(Utf8Test, EncodesWhatIsNoCodePointAsReplacement) {
  for (const char32_t value : {0xD800, 0xDFFF, 0x110000, 0x7FFFFFFF}) {
    EXPECT_EQ(encode_utf8(std::u32string(1, value)), "\xEF\xBF\xBD");
  }
}

struct IllFormed {
  std::string text;
  std::size_t position;
  std::string replaced;  // by "?" for each U+FFFD
};

// What a strict decoder makes of each: one U+FFFD for each maximal part of a character (Unicode, section 3.9).
const std::vector<IllFormed>& ill_formed() {
  static const std::vector<IllFormed> cases = {
      {"\x80", 0, "?"},
      {"a\xBFz", 1, "a?z"},
      {"\xC0\x80", 0, "??"},                        // overlong
      {"\xC1\xBF", 0, "??"},                        //
      {"\xE0\x9F\xBF", 0, "???"},                   //
      {"\xF0\x8F\xBF\xBF", 0, "????"},              //
      {"\xED\xA0\x80", 0, "???"},                   // a surrogate
      {"\xED\xBF\xBF", 0, "???"},                   //
      {"\xF4\x90\x80\x80", 0, "????"},              // above U+10FFFF
      {"\xF5\x80", 0, "??"},                        //
      {"\xFF\xFE", 0, "??"},                        //
      {"ok\xC3", 2, "ok?"},                         // cut off
      {"ok\xE2\x82", 2, "ok?"},                     //
      {"\xF0\x9F\x98", 0, "?"},                     //
      {"\xE2\x82z", 0, "?z"},                       // broken off by another character
      {"\xE2\x82\xC3\xA9", 0, "?\xC3\xA9"},         //
      {"\xF0\x9F\xE2\x82\xAC", 0, "?\xE2\x82\xAC"}  //
  };
  return cases;
}

TEST(Utf8Test, FindsTheFirstIllFormedByte) {
  for (const IllFormed& item : ill_formed()) {
    EXPECT_EQ(first_invalid_utf8(item.text), item.position) << item.replaced;
  }
}

TEST(Utf8Test, ReplacesEachMaximalPart) {
  for (const IllFormed& item : ill_formed()) {
    std::string expected;
    for (const char letter : item.replaced) {
      expected += letter == '?' ? std::string("\xEF\xBF\xBD") : std::string(1, letter);
    }
    EXPECT_EQ(replace_invalid_utf8(item.text), expected);
    EXPECT_EQ(encode_utf8(decode_utf8(item.text)), expected);
    EXPECT_EQ(first_invalid_utf8(expected), std::nullopt);
  }
}

TEST(Utf8Test, SpacesAreThoseOfPython) {
  // [c for c in range(0x110000) if chr(c).isspace()]
  const std::u32string spaces =
      U"\x09\x0a\x0b\x0c\x0d\x1c\x1d\x1e\x1f\x20\x85\xa0\x1680\x2000\x2001\x2002\x2003\x2004\x2005\x2006\x2007\x2008"
      U"\x2009\x200a\x2028\x2029\x202f\x205f\x3000";
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    ASSERT_EQ(is_unicode_space(value), spaces.find(value) != std::u32string::npos) << std::hex << std::uint32_t{value};
  }
}

TEST(Utf8Test, BlankIsEmptyOrWhiteSpaceOnly) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\r\n\xC2\xA0\xE3\x80\x80"));
  EXPECT_FALSE(is_blank(" a "));
  EXPECT_FALSE(is_blank("\xE2\x80\x8B"));  // zero-width space
  EXPECT_FALSE(is_blank(" \xC2"));         // ill-formed, so not white
}

TEST(Utf8Test, TrimmingTakesAllWhiteSpaceOfBothEnds) {
  EXPECT_EQ(trimmed("\xE3\x80\x80\ta b\xC2\xA0 "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace translate
