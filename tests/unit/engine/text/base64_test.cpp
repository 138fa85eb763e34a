#include "text/base64.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

TEST(Base64Test, EqualsTheExamplesOfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64Test, TakesEveryByte) {
  EXPECT_EQ(base64(std::string("\0\xFF\x80", 3)), "AP+A");
  EXPECT_EQ(base64("\xFF\xFF\xFF"), "////");
}

}  // namespace
}  // namespace translate
