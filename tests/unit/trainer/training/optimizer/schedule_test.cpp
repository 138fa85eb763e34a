#include "training/optimizer/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace translate::trainer {
namespace {

TrainingOptions options_of(ScheduleKind kind, double rate, std::int64_t warmup, std::int64_t max_steps = 1000) {
  TrainingOptions options;
  options.schedule = kind;
  options.learning_rate = rate;
  options.warmup_steps = warmup;
  options.max_steps = max_steps;
  return options;
}

TEST(Schedule, NoamIsThePapersFormula) {
  const auto options = options_of(ScheduleKind::kNoam, 1.0, 4000);
  const auto at = [&](std::int64_t step) { return learning_rate_at(options, 512, step); };
  EXPECT_NEAR(at(1), 1.74693e-7, 1e-12);
  EXPECT_NEAR(at(3999), 6.98597e-4, 1e-9);
  EXPECT_NEAR(at(4000), 6.98771e-4, 1e-9);
  EXPECT_NEAR(at(4001), 6.98684e-4, 1e-9);
  EXPECT_NEAR(at(16000), 3.49386e-4, 1e-9);
  EXPECT_NEAR(at(100000), 1.39754e-4, 1e-9);
}

TEST(Schedule, NoamScalesWithItsFactor) {
  EXPECT_DOUBLE_EQ(learning_rate_at(options_of(ScheduleKind::kNoam, 2.0, 100), 64, 77),
                   2.0 * learning_rate_at(options_of(ScheduleKind::kNoam, 1.0, 100), 64, 77));
}

TEST(Schedule, InverseSqrtPeaksAtTheEndOfWarmUpAndFallsWithTheRoot) {
  const auto options = options_of(ScheduleKind::kInverseSqrt, 5e-3, 400);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 512, 1), 5e-3 / 400);
  EXPECT_LT(learning_rate_at(options, 512, 399), 5e-3);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 512, 400), 5e-3);
  EXPECT_LT(learning_rate_at(options, 512, 401), 5e-3);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 512, 1600), 2.5e-3);
}

TEST(Schedule, CosineAndLinearReachZeroAtTheLastStep) {
  for (const auto kind : {ScheduleKind::kCosine, ScheduleKind::kLinear}) {
    const auto options = options_of(kind, 1e-3, 100, 1100);
    EXPECT_DOUBLE_EQ(learning_rate_at(options, 512, 50), 0.5e-3);
    EXPECT_DOUBLE_EQ(learning_rate_at(options, 512, 100), 1e-3);
    EXPECT_NEAR(learning_rate_at(options, 512, 600), 0.5e-3, 1e-12);
    EXPECT_NEAR(learning_rate_at(options, 512, 1100), 0.0, 1e-12);
    EXPECT_NEAR(learning_rate_at(options, 512, 2000), 0.0, 1e-12);
  }
}

TEST(Schedule, ConstantStaysAfterWarmUp) {
  const auto options = options_of(ScheduleKind::kConstant, 3e-4, 10);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 512, 5), 1.5e-4);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 512, 10), 3e-4);
  EXPECT_DOUBLE_EQ(learning_rate_at(options, 512, 100000), 3e-4);
}

TEST(Schedule, NeverNegativeAndFiniteWithoutWarmUp) {
  for (const auto kind : {ScheduleKind::kNoam, ScheduleKind::kInverseSqrt, ScheduleKind::kCosine, ScheduleKind::kLinear,
                          ScheduleKind::kConstant}) {
    const auto options = options_of(kind, 1.0, 0);
    for (const std::int64_t step : {1, 2, 10, 999, 1000, 1001}) {
      const auto rate = learning_rate_at(options, 512, step);
      EXPECT_TRUE(std::isfinite(rate) && rate >= 0.0) << static_cast<int>(kind) << " at " << step;
    }
    EXPECT_GT(learning_rate_at(options, 512, 1), 0.0);
  }
}

TEST(Schedule, OnlyThoseThatFallToTheLastStepChangeWithIt) {
  for (const auto kind : {ScheduleKind::kCosine, ScheduleKind::kLinear}) {
    const auto before = options_of(kind, 1e-3, 100, 1100);
    const auto now = options_of(kind, 1e-3, 100, 2100);
    const auto change = rate_change(before, now, 512, 1101);
    ASSERT_TRUE(change);
    EXPECT_NEAR(change->before, 0.0, 1e-12);
    EXPECT_DOUBLE_EQ(change->now, learning_rate_at(now, 512, 1101));
    EXPECT_FALSE(rate_change(before, before, 512, 1101));
  }
  for (const auto kind : {ScheduleKind::kNoam, ScheduleKind::kInverseSqrt, ScheduleKind::kConstant}) {
    EXPECT_FALSE(rate_change(options_of(kind, 1e-3, 100, 1100), options_of(kind, 1e-3, 100, 2100), 512, 1101));
  }
}

}  // namespace
}  // namespace translate::trainer
