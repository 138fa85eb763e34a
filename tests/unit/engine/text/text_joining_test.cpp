#include "text/text_joining.h"

#include <gtest/gtest.h>

#include <string>

namespace translate {
namespace {

TEST(SpaceBetween, ChineseAndJapaneseHaveNone) {
  EXPECT_EQ(space_between("你好。", "再见。"), "");
  EXPECT_EQ(space_between("他在花园里", "看书"), "");
  EXPECT_EQ(space_between("彼は言った。", "そうだ。"), "");
  EXPECT_EQ(space_between("コーヒー", "を飲む"), "");
  EXPECT_EQ(space_between("“你好。”", "他说。"), "");
  EXPECT_EQ(space_between("他来了…", "“走吧！”"), "");
  EXPECT_EQ(space_between("生于1990", "年"), "");
  EXPECT_EQ(space_between("我用 iPhone。", "iPad 也行。"), "");
  EXPECT_EQ(space_between("OK", "「はい」"), "");
}

TEST(SpaceBetween, OtherWritingsHaveOne) {
  EXPECT_EQ(space_between("The cat sat.", "The dog slept."), " ");
  EXPECT_EQ(space_between("Кот сидел.", "Он спал."), " ");
  EXPECT_EQ(space_between("고양이가 앉았다.", "개가 잤다."), " ");
  EXPECT_EQ(space_between("그는 「책」", "을 읽었다"), " ");
  EXPECT_EQ(space_between("แมวนั่ง", "หมานอน"), " ");
  EXPECT_EQ(space_between("جلس القط.", "نام الكلب."), " ");
  EXPECT_EQ(space_between("the word 猫", "means cat"), " ");
  EXPECT_EQ(space_between("1.", "2."), " ");
  EXPECT_EQ(space_between("", ""), " ");
}

TEST(SpaceBetween, LooksAtTheEndsOfLongTexts) {
  EXPECT_EQ(space_between(std::string(1000, 'a') + "你好", "再见" + std::string(1000, 'a')), "");
  EXPECT_EQ(space_between("x" + std::string(1000, '.'), std::string(1000, '.') + "猫"), " ");
}

TEST(LineEnds, AreThoseOfUnicode) {
  for (const char32_t c : std::u32string_view(U"\n\v\f\r\x1c\x1d\x1e\u0085\u2028\u2029")) {
    EXPECT_TRUE(is_line_end(c));
  }
  for (const char32_t c : std::u32string_view(U" \t\x1f\u00a0\u3000a")) {
    EXPECT_FALSE(is_line_end(c));
  }
}

}  // namespace
}  // namespace translate
