#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/optimizer/schedule.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

TrainingOptions without_limits() {
  TrainingOptions options;
  options.max_steps = 0;
  return options;
}

TEST(Limits, ZeroMeansNone) {
  TrainingState state;
  state.step = 1000000;
  state.epoch = 1000;
  state.seconds = 1e9;
  state.validations_since_best = 1000;
  EXPECT_EQ(limit_reached(without_limits(), state, state.seconds), std::nullopt);
  EXPECT_EQ(seconds_left(without_limits(), state, 1.0, 10.0), std::nullopt);
}

TEST(Limits, EachIsReachedAtItsValueAndNamed) {
  auto options = without_limits();
  TrainingState state;
  options.max_steps = 10;
  state.step = 9;
  EXPECT_EQ(limit_reached(options, state, state.seconds), std::nullopt);
  state.step = 10;
  EXPECT_THAT(limit_reached(options, state, state.seconds), Optional(HasSubstr("max_steps = 10")));

  options = without_limits();
  options.max_epochs = 2;
  state.epoch = 2;
  EXPECT_THAT(limit_reached(options, state, state.seconds), Optional(HasSubstr("max_epochs = 2")));

  options = without_limits();
  options.max_minutes = 0.5;
  state.seconds = 29.9;
  EXPECT_EQ(limit_reached(options, state, state.seconds), std::nullopt);
  state.seconds = 30.0;
  EXPECT_THAT(limit_reached(options, state, state.seconds), Optional(HasSubstr("max_minutes = 0.5")));

  options = without_limits();
  options.patience = 3;
  state.validations_since_best = 3;
  EXPECT_THAT(limit_reached(options, state, state.seconds), Optional(HasSubstr("patience = 3")));
}

TEST(Limits, TimeLeftIsThatOfTheNearestLimit) {
  auto options = without_limits();
  TrainingState state;
  state.step = 100;
  state.epoch = 1;
  state.batches_in_epoch = 5;
  state.seconds = 60.0;
  options.max_steps = 200;
  EXPECT_THAT(seconds_left(options, state, 2.0, 20.0), Optional(200.0));
  options.max_epochs = 3;  // 2 passes of 20 steps, 5 of them done
  EXPECT_THAT(seconds_left(options, state, 2.0, 20.0), Optional(70.0));
  options.max_minutes = 1.5;
  EXPECT_THAT(seconds_left(options, state, 2.0, 20.0), Optional(30.0));
  EXPECT_EQ(seconds_left(options, state, 0.0, 20.0), std::nullopt) << "the pace is not known";
  state.seconds = 1000.0;
  EXPECT_THAT(seconds_left(options, state, 2.0, 20.0), Optional(0.0));
}

TEST(Limits, TheShareDoneIsThatOfTheNearestLimit) {
  auto options = without_limits();
  TrainingState state;
  state.step = 50;
  state.epoch = 1;
  state.batches_in_epoch = 5;
  state.seconds = 30.0;
  EXPECT_EQ(share_done(options, state, 10.0), std::nullopt);
  options.max_steps = 200;
  EXPECT_THAT(share_done(options, state, 10.0), Optional(0.25));
  options.max_epochs = 3;
  EXPECT_THAT(share_done(options, state, 10.0), Optional(0.5));
  EXPECT_THAT(share_done(options, state, 0.0), Optional(1.0 / 3.0));  // batches of an epoch are not known yet
  options.max_minutes = 0.75;
  EXPECT_THAT(share_done(options, state, 10.0), Optional(30.0 / 45.0));
  state.seconds = 100.0;
  EXPECT_THAT(share_done(options, state, 10.0), Optional(1.0));
}

TEST(Limits, IntervalsCountStepsOrEpochs) {
  EXPECT_TRUE(is_due({.steps = 50}, 100, false));
  EXPECT_FALSE(is_due({.steps = 50}, 101, true));
  EXPECT_TRUE(is_due({.steps = 0}, 101, true));
  EXPECT_FALSE(is_due({.steps = 0}, 100, false));
}

}  // namespace
}  // namespace translate::trainer
