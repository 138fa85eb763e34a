#include "core/foreign_text.h"

#include <gtest/gtest.h>

#include <string>

namespace translate {
namespace {

TEST(ForeignText, NothingInItActsOnATerminal) {
  EXPECT_EQ(printable("plain text, déjà vu, 猫"), "plain text, déjà vu, 猫");
  EXPECT_EQ(printable("\033[31mred\r\n\a"), "\\x1b[31mred\\x0d\\x0a\\x07");
  EXPECT_EQ(printable(std::string("a\0b\x7F", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(printable("\u009b2J \u202Eabc\u2066 \u2028"), "\\x9b2J \\u202eabc\\u2066 \\u2028");
  EXPECT_EQ(printable("\xFF\xC3"), "\\xff\\xc3");
}

TEST(ForeignText, AMessageKeepsItsLines) { EXPECT_EQ(printable_message("a\n\tb\033[2J"), "a\n\tb\\x1b[2J"); }

TEST(ForeignText, ALongTextIsShownByItsBeginning) {
  EXPECT_EQ(shown(std::string(100, 'a')), std::string(100, 'a'));
  EXPECT_EQ(shown(std::string(10'000'000, 'a')), std::string(100, 'a') + "... (10000000 bytes)");
  EXPECT_EQ(shown("ééé", 3), "é... (6 bytes)");
}

}  // namespace
}  // namespace translate
