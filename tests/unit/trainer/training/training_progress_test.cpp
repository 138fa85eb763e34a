#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "training/reporter.h"

namespace translate::trainer {
namespace {

class TrainingProgressTest : public ::testing::Test {
 protected:
  TrainingProgressTest() {
    options_.max_steps = 10000;
    state_.step = 4200;
    state_.epoch = 3;
    state_.seconds = 100.0;
  }

  /// With a report behind it.
  [[nodiscard]] std::string text(std::size_t columns) const {
    return fit(training_progress({.state = state_,
                                  .options = options_,
                                  .steps_per_epoch = 1000.0,
                                  .seconds_per_step = 0.5,
                                  .loss = 1.2345,
                                  .tokens_per_second = 12345.0}),
               columns);
  }

  TrainingOptions options_;
  TrainingState state_;
};

TEST_F(TrainingProgressTest, HasEveryFigureInEveryUsualWindow) {
  EXPECT_EQ(
      text(119),
      "[############..................]  42%  step 4200/10000  epoch 3  loss 1.234  12345 tokens/s  48 min 20 s left");
  EXPECT_EQ(text(79), "[#####.......]  42%  step 4200/10000  ep 3  loss 1.234  12.3k tok/s  48:20 left");
  EXPECT_EQ(text(59), "[###.....] 42% 4200/10.0k ep 3 loss 1.234 12.3k tok/s 48:20");
}

TEST_F(TrainingProgressTest, ShowsTheBestValidation) {
  state_.best_validation = {.score = 31.234, .step = 4000};
  options_.best_metric = BestMetric::kBleu;
  EXPECT_THAT(text(139), ::testing::EndsWith("48 min 20 s left  best BLEU 31.23"));
  EXPECT_EQ(text(79), "[#####.......] 42% 4200/10000 ep 3 loss 1.234 12.3k tok/s 48:20 left best 31.23");
  EXPECT_EQ(text(59), "42% 4200/10.0k ep 3 loss 1.234 12.3k tok/s 48:20 best 31.2");
  options_.best_metric = BestMetric::kChrf;
  EXPECT_THAT(text(139), ::testing::EndsWith("best chrF 31.23"));
  options_.best_metric = BestMetric::kLoss;
  state_.best_validation->score = 1.0;
  EXPECT_THAT(text(139), ::testing::EndsWith("best validation loss 1.000"));
}

TEST_F(TrainingProgressTest, TheBestValidationOfALongRunFitsInEightyColumns) {
  options_.max_steps = 200000;
  state_.step = 123456;
  state_.epoch = 57;
  state_.best_validation = {.score = 31.234, .step = 4000};
  options_.best_metric = BestMetric::kBleu;
  EXPECT_EQ(text(79), "[#########......] 61% 123k/200k ep 57 loss 1.234 12.3k tok/s 10:37:52 best 31.2");
}

TEST_F(TrainingProgressTest, LargeNumbersFitInSixtyColumns) {
  options_.max_steps = 200000;
  state_.step = 123456;
  state_.epoch = 57;
  const auto line = text(59);
  EXPECT_EQ(line, "[###..] 61% 123k/200k ep 57 loss 1.234 12.3k tok/s 10:37:52");
}

TEST_F(TrainingProgressTest, BeforeTheFirstReportLossAndSpeedAreNotKnown) {
  const auto line = fit(training_progress({.state = state_,
                                           .options = options_,
                                           .steps_per_epoch = 1000.0,
                                           .seconds_per_step = 0.0,
                                           .loss = std::nullopt,
                                           .tokens_per_second = 0.0}),
                        60);
  EXPECT_EQ(line, "[###########................]  42%  step 4200/10000  epoch 3");
}

TEST_F(TrainingProgressTest, AnotherLimitThatComesFirstGivesAnEstimateOfTheSteps) {
  options_.max_minutes = 2.0;  // 100 of 120 seconds are over
  EXPECT_EQ(text(119).substr(0, 61), "[#########################.....]  83%  step 4200/~5040  epoch");
}

TEST_F(TrainingProgressTest, WithoutALimitThereIsNoBar) {
  options_.max_steps = 0;
  EXPECT_EQ(text(119), "step 4200  epoch 3  loss 1.234  12345 tokens/s");
}

TEST(ReporterTest, AnEarlyReportTellsTheMeanSoFarAndLeavesTheWindow) {
  const TemporaryFolder folder;
  RunDirectory run(folder.path());
  TrainingOptions options;
  options.log_every = 50;
  TrainingState state;
  state.step = 7;
  state.window = {.loss_sum = 1.0, .target_tokens = 100};
  Reporter reporter(options, run, cpu_device());
  ::testing::internal::CaptureStderr();
  reporter.report_early(state, /*loss_sum=*/450.0);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr("step 7  epoch 0  loss 4.5000 so far; the first report comes at step 50"));
  EXPECT_EQ(state.window.target_tokens, 100);
}

}  // namespace
}  // namespace translate::trainer
