#include <gtest/gtest.h>

#include <string>

#include "core/terminal.h"

namespace translate {
namespace {

ProgressLine training_line() {
  return {.label = "",
          .share = 0.42,
          .fields = {{"step 4200/10000", "4200/10000", "4200/10.0k"},
                     {"epoch 3", "ep 3"},
                     {"loss 1.234"},
                     {"12345 tokens/s", "12.3k tok/s"},
                     {"3 min 12 s left", "3:12 left", "3:12"}}};
}

TEST(ProgressLineTest, WideWindowsHaveTheLongForms) {
  EXPECT_EQ(
      fit(training_line(), 120),
      "[############..................]  42%  step 4200/10000  epoch 3  loss 1.234  12345 tokens/s  3 min 12 s left");
}

TEST(ProgressLineTest, NarrowWindowsHaveEveryFieldInAShorterForm) {
  EXPECT_EQ(fit(training_line(), 79),
            "[####......]  42%  step 4200/10000  epoch 3  loss 1.234  12.3k tok/s  3:12 left");
  EXPECT_EQ(fit(training_line(), 59), "[###......] 42% 4200/10.0k ep 3 loss 1.234 12.3k tok/s 3:12");
}

TEST(ProgressLineTest, TheBarGoesBeforeFieldsDoAndThePercentLast) {
  EXPECT_EQ(fit(training_line(), 50), "42% 4200/10.0k ep 3 loss 1.234 12.3k tok/s 3:12");
  EXPECT_EQ(fit(training_line(), 31), "42% 4200/10.0k ep 3 loss 1.234");
  EXPECT_EQ(fit(training_line(), 10), "42%");
  EXPECT_EQ(fit(training_line(), 2), "42");
  EXPECT_EQ(fit(training_line(), 0), "");
}

TEST(ProgressLineTest, NoWindowIsTooNarrow) {
  const ProgressLine encoding = {.label = "encoding training pairs", .share = 1.0, .fields = {{"5 pairs/s", "5/s"}}};
  const ProgressLine counter = {.label = "", .share = std::nullopt, .fields = {{"12 lines"}, {"3 lines/s", "3/s"}}};
  for (const auto& line : {training_line(), encoding, counter, ProgressLine()}) {
    for (std::size_t columns = 0; columns < 200; ++columns) {
      EXPECT_LE(display_width(fit(line, columns)), columns) << fit(line, columns);
    }
  }
}

TEST(ProgressLineTest, TheBarIsAsFullAsTheShare) {
  const auto bar = [](double share) { return fit({.label = "", .share = share, .fields = {}}, 16); };
  EXPECT_EQ(bar(0.0), "[..........]  0%");
  EXPECT_EQ(bar(0.5), "[#####.....] 50%");
  EXPECT_EQ(bar(0.999), "[#########.] 99%");
  EXPECT_EQ(bar(1.0), "[#########] 100%");
  EXPECT_EQ(bar(7.0), bar(1.0));
  EXPECT_EQ(bar(-1.0), bar(0.0));
}

TEST(ProgressLineTest, WithoutAShareThereIsNoBar) {
  EXPECT_EQ(fit({.label = "", .share = std::nullopt, .fields = {{"12 lines"}, {"3 lines/s"}}}, 80),
            "12 lines  3 lines/s");
}

TEST(ProgressLineTest, CountsAreBrief) {
  EXPECT_EQ(brief_count(0), "0");
  EXPECT_EQ(brief_count(9999), "9999");
  EXPECT_EQ(brief_count(12345), "12.3k");
  EXPECT_EQ(brief_count(123456), "123k");
  EXPECT_EQ(brief_count(4567890), "4.6M");
}

}  // namespace
}  // namespace translate
