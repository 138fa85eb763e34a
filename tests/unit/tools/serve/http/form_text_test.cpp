#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/http/http_bodies.h"

namespace translate::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(FormText, PercentSigns) {
  EXPECT_EQ(decode_percent("caf%C3%a9+%2B"), "café++");
  EXPECT_EQ(decode_percent("100%"), "100%");
  EXPECT_EQ(decode_percent("%4"), "%4");
  EXPECT_EQ(decode_percent("%zz%-1%+1% 1"), "%zz%-1%+1% 1");
  EXPECT_EQ(decode_percent("%00"), std::string(1, '\0'));
}

TEST(FormText, Fields) {
  EXPECT_THAT(form_fields("q=a+b%26&q=&c&=d&e=f=g"),
              ElementsAre(Pair("q", "a b&"), Pair("q", ""), Pair("c", ""), Pair("", "d"), Pair("e", "f=g")));
  EXPECT_THAT(form_fields(""), ElementsAre());
  EXPECT_THAT(form_fields("&&a=1&"), ElementsAre(Pair("a", "1")));
}

}  // namespace
}  // namespace translate::tools
