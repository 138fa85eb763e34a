#include "text/alignment_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string complaint(std::string_view line) {
  return translate::testing::error_of<DataError>([&] { return parse_alignment_line(line, "train.align:12"); });
}

TEST(AlignmentText, ReadsLinksInAnyOrder) {
  EXPECT_THAT(parse_alignment_line("", "f:1"), IsEmpty());
  EXPECT_THAT(parse_alignment_line("0-0", "f:1"), ElementsAre(AlignmentPoint{0, 0}));
  EXPECT_THAT(parse_alignment_line("2147483647-1 0-10 0-2", "f:1"),
              ElementsAre(AlignmentPoint{0, 2}, AlignmentPoint{0, 10}, AlignmentPoint{2147483647, 1}));
}

TEST(AlignmentText, RefusesEverythingElseWithThePlace) {
  for (const char* line :
       {" ",   " 0-0", "0-0 ", "0-0  1-1", "0-0\t1-1",     "0",     "0-",  "-0",   "-1-0", "0--1", "0-0-0",
        "0_0", "00-0", "0-01", "+1-0",     "0-2147483648", "0-0\r", "a-b", "0-0,", "0 - 0"}) {
    EXPECT_THAT(complaint(line), AllOf(HasSubstr("train.align:12"), HasSubstr("SOURCE-TARGET"))) << line;
  }
  EXPECT_THAT(complaint("0-0 1-x7"), HasSubstr("\"1-x7\""));
  EXPECT_THAT(complaint("0-0 1-1 0-0"), AllOf(HasSubstr("train.align:12"), HasSubstr("0-0 occurs twice")));
}

TEST(AlignmentText, LinksLieWithinThePair) {
  EXPECT_NO_THROW(check_alignment({{0, 0}, {1, 2}}, 2, 3, "f:1"));
  EXPECT_NO_THROW(check_alignment({}, 0, 0, "f:1"));
  const auto message = [](std::size_t source, std::size_t target) {
    return translate::testing::error_of<DataError>([&] {
      check_alignment({{0, 0}, {1, 2}}, source, target, "train.align:7");
    });
  };
  EXPECT_THAT(message(1, 3), AllOf(HasSubstr("train.align:7"), HasSubstr("1-2"), HasSubstr("1 source")));
  EXPECT_THAT(message(2, 2), HasSubstr("2 target"));
}

TEST(AlignmentText, WhatIsWrittenIsRead) {
  const Alignment alignment = {{0, 0}, {1, 2}};
  EXPECT_EQ(alignment_line(alignment), "0-0 1-2");
  EXPECT_EQ(parse_alignment_line(alignment_line(alignment), "f:1"), alignment);
  EXPECT_EQ(alignment_line({}), "");
}

}  // namespace
}  // namespace translate
