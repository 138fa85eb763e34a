#include "training/loss_watch.h"

#include <gtest/gtest.h>

#include <limits>

namespace translate::trainer {
namespace {

TEST(LossWatch, NoticesAJumpOnce) {
  LossWatch watch;
  for (const double loss : {5.0, 4.8, 4.7, 4.6, 4.55}) {
    EXPECT_FALSE(watch.add(loss));
  }
  const auto mean = watch.add(7.5);
  ASSERT_TRUE(mean);
  EXPECT_NEAR(*mean, 4.73, 1e-12);
  EXPECT_FALSE(watch.add(4.5)) << "the spike does not count";
  EXPECT_TRUE(watch.add(7.5));
  EXPECT_FALSE(watch.add(7.5)) << "a loss that stays high is told once";
}

TEST(LossWatch, LetsNoiseAndAFallingLossPass) {
  LossWatch watch;
  double loss = 9.0;
  for (int i = 0; i < 100; ++i) {
    loss *= 0.99;
    EXPECT_FALSE(watch.add(loss + (i % 2 == 0 ? 0.05 : -0.05))) << i;
  }
}

TEST(LossWatch, NeedsSomeReports) {
  LossWatch watch;
  EXPECT_FALSE(watch.add(1.0));
  EXPECT_FALSE(watch.add(9.0));
}

TEST(LossWatch, ALossThatIsNotFiniteIsASpike) {
  LossWatch watch;
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(watch.add(2.0));
  }
  EXPECT_TRUE(watch.add(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace translate::trainer
