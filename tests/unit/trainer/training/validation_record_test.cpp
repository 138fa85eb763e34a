#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "training/optimizer/schedule.h"
#include "training/validator.h"

namespace translate::trainer {
namespace {

/// The step at which a run ends whose validations, a step apart, have these figures of the metric.
std::int64_t end_of(BestMetric metric, const std::vector<double>& figures, std::int64_t patience) {
  TrainingOptions options;
  options.max_steps = 0;
  options.patience = patience;
  TrainingState state;
  for (const double figure : figures) {
    ++state.step;
    const double loss = metric == BestMetric::kLoss ? figure : 1.0;
    record_validation({.loss = loss, .bleu = figure, .chrf = figure}, metric, state);
    if (limit_reached(options, state, state.seconds)) {
      break;
    }
  }
  return state.step;
}

TEST(ValidationRecord, PatienceEndsARunWhoseBleuRisesNoMore) {
  EXPECT_EQ(end_of(BestMetric::kBleu, {10, 20, 19, 18, 21, 20, 21, 20.5, 30}, 3), 8);  // equal is no better
  EXPECT_EQ(end_of(BestMetric::kBleu, {10, 20, 19, 18, 21, 20, 21, 20.5, 30}, 4), 9);
  EXPECT_EQ(end_of(BestMetric::kChrf, {10, 20, 19, 18, 21, 20, 21, 20.5, 30}, 4), 9);
  EXPECT_EQ(end_of(BestMetric::kLoss, {3.0, 2.0, 2.5, 1.9, 2.0, 2.1}, 2), 6);
  EXPECT_EQ(end_of(BestMetric::kLoss, {3.0, 3.5, 4.0}, 2), 3);
}

TEST(ValidationRecord, RemembersTheLastAndTheBest) {
  TrainingState state;
  state.step = 5;
  EXPECT_TRUE(record_validation({.loss = 2.0, .bleu = 30.0}, BestMetric::kBleu, state).is_best);
  state.step = 6;
  const auto verdict = record_validation({.loss = 1.0, .bleu = 29.0}, BestMetric::kBleu, state);
  EXPECT_FALSE(verdict.is_best);
  EXPECT_EQ(verdict.score, (ValidationScore{.score = 29.0, .step = 6, .loss = 1.0}));
  EXPECT_EQ(state.best_validation, (ValidationScore{.score = 30.0, .step = 5, .loss = 2.0}));
  EXPECT_EQ(state.last_validation, verdict.score);
  EXPECT_EQ(state.validations_since_best, 1);
}

TEST(ValidationRecord, TheLossDecidesBetweenEqualScores) {
  TrainingState state;
  const auto is_best = [&](double loss) {
    ++state.step;
    return record_validation({.loss = loss, .bleu = 0.0}, BestMetric::kBleu, state).is_best;
  };
  EXPECT_TRUE(is_best(3.0));
  EXPECT_TRUE(is_best(2.0));
  EXPECT_FALSE(is_best(2.5));
  EXPECT_EQ(state.validations_since_best, 1);
  EXPECT_EQ(state.best_validation->step, 2);
}

TEST(ValidationRecord, AnEqualScoreDoesNotReplaceTheBestOfAnOlderVersion) {
  TrainingState state;
  state.step = 2;
  state.best_validation = ValidationScore{.score = 30.0, .step = 1};  // without its loss
  EXPECT_FALSE(record_validation({.loss = 1.0, .bleu = 30.0}, BestMetric::kBleu, state).is_best);
}

TEST(ValidationRecord, TheUntrainedModelIsNeitherTheBestNorCounted) {
  for (const auto metric : {BestMetric::kBleu, BestMetric::kLoss}) {
    TrainingState state;
    EXPECT_FALSE(record_validation({.loss = 1.0, .bleu = 50.0}, metric, state).is_best);
    EXPECT_EQ(state.last_validation->step, 0);
    EXPECT_FALSE(state.best_validation);
    EXPECT_EQ(state.validations_since_best, 0);
    state.step = 10;  // a worse score, and yet the first of a trained model
    EXPECT_TRUE(record_validation({.loss = 2.0, .bleu = 0.0}, metric, state).is_best);
    EXPECT_EQ(state.validations_since_best, 0);
    state.step = 20;
    EXPECT_FALSE(record_validation({.loss = 2.0, .bleu = 0.0}, metric, state).is_best);
    EXPECT_EQ(state.validations_since_best, 1);
  }
}

TEST(ValidationRecord, ABestScoreOfStep0InAnOlderCheckpointIsForgotten) {
  TrainingState state;
  state.step = 30;
  state.best_validation = ValidationScore{.score = 0.1, .step = 0};
  state.last_validation = ValidationScore{.score = 0.0, .step = 30};
  state.validations_since_best = 3;
  forget_best_of_step_0(state);
  EXPECT_FALSE(state.best_validation);
  EXPECT_EQ(state.validations_since_best, 0);

  state.best_validation = ValidationScore{.score = 0.1, .step = 10};
  state.validations_since_best = 2;
  forget_best_of_step_0(state);
  EXPECT_EQ(state.best_validation, (ValidationScore{.score = 0.1, .step = 10}));
  EXPECT_EQ(state.validations_since_best, 2);
}

TEST(ValidationRecord, ANaNIsNoScore) {
  TrainingState state;
  state.step = 1;
  const auto bad = std::numeric_limits<double>::quiet_NaN();
  const auto verdict = record_validation({.loss = bad, .bleu = 0.0}, BestMetric::kLoss, state);
  EXPECT_FALSE(verdict.score);
  EXPECT_FALSE(verdict.is_best);
  EXPECT_FALSE(state.last_validation);
  EXPECT_EQ(state.validations_since_best, 1);
}

}  // namespace
}  // namespace translate::trainer
