#include "core/counted.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

TEST(CountedTest, OneThingIsSingular) {
  EXPECT_EQ(counted(0, "line"), "0 lines");
  EXPECT_EQ(counted(1, "line"), "1 line");
  EXPECT_EQ(counted(2, "training pair"), "2 training pairs");
  EXPECT_EQ(counted(18446744073709551615U, "line"), "18446744073709551615 lines");
}

}  // namespace
}  // namespace translate
