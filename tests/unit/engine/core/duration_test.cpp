#include <gtest/gtest.h>

#include <limits>

#include "core/terminal.h"

namespace translate {
namespace {

TEST(DurationTest, ReadsAsPeopleSayIt) {
  EXPECT_EQ(format_duration(0), "0 s");
  EXPECT_EQ(format_duration(48.4), "48 s");
  EXPECT_EQ(format_duration(59.6), "1 min 00 s");
  EXPECT_EQ(format_duration(185), "3 min 05 s");
  EXPECT_EQ(format_duration(3599.6), "1 h 00 min");
  EXPECT_EQ(format_duration(3720), "1 h 02 min");
  EXPECT_EQ(format_duration(7199), "2 h 00 min");
  EXPECT_EQ(format_duration(359940), "99 h 59 min");
  EXPECT_EQ(format_duration(360000), "4 d 04 h");
  EXPECT_EQ(format_duration(1000.0 * 86400.0), "1000 d 00 h");
}

TEST(DurationTest, ClocksAreShort) {
  EXPECT_EQ(format_clock(0), "0:00");
  EXPECT_EQ(format_clock(59.4), "0:59");
  EXPECT_EQ(format_clock(185), "3:05");
  EXPECT_EQ(format_clock(3723), "1:02:03");
  EXPECT_EQ(format_clock(359999), "99:59:59");
  EXPECT_EQ(format_clock(360000), "4d04h");
  EXPECT_EQ(format_clock(-1), "0:00");
}

TEST(DurationTest, NegativeAndNonFiniteDurationsAreFormatted) {
  EXPECT_EQ(format_duration(-5), "0 s");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::quiet_NaN()), "0 s");
  EXPECT_NE(format_duration(std::numeric_limits<double>::infinity()).find(" d "), std::string::npos);
}

}  // namespace
}  // namespace translate
