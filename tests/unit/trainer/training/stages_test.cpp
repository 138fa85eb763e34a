#include "training/stages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace translate::trainer {
namespace {

constexpr double kSecond = 1.0;

/// Two corpora, the second of two pairs of files; in the second stage it is drawn three times as often.
Config staged() {
  Config config;
  config.data.train = {
      {"/a.en", "/a.fr"}, {"/b.en", "/b.fr"}, {.source = "/c.en", .target = "/c.fr", .continues = true}};
  config.data.modifiers.typos = 0.1;
  config.training.stages = {
      {.weights = {1, 0}, .steps = 10},
      {.weights = {1, 3}, .modifiers = ModifierOptions{.noise = 0.2}, .epochs = 2.0, .corpus = 1}};
  return config;
}

const std::vector<std::uint64_t> kPairs = {400, 60, 40};

TrainingState state_at(std::int64_t step, std::int64_t epoch, std::int64_t batches, const StageState& stage) {
  TrainingState state;
  state.step = step;
  state.epoch = epoch;
  state.batches_in_epoch = batches;
  state.stage = stage;
  return state;
}

TEST(Stages, HaveTheirWeightsAndModifiers) {
  const auto config = staged();
  const auto first = config_of_stage(config, {.index = 0});
  EXPECT_EQ(first.data.train[0].weight, 1.0);
  EXPECT_EQ(first.data.train[1].weight, 0.0);
  EXPECT_EQ(first.data.train[2].weight, 0.0);
  EXPECT_EQ(first.data.modifiers, config.data.modifiers);
  const auto second = config_of_stage(config, {.index = 1});
  EXPECT_EQ(second.data.train[2].weight, 3.0);
  EXPECT_EQ(second.data.modifiers.typos, 0.0);
  EXPECT_EQ(second.data.modifiers.noise, 0.2);
  EXPECT_EQ(config_of_stage(config, {.index = 2}), config);
  EXPECT_EQ(config_of_stage(Config(), {}), Config());
}

TEST(Stages, CountPassesFromTheirBeginning) {
  auto config = staged();
  const auto state = state_at(100, 5, 5, {.index = 1, .epoch = 3});
  const auto epochs = [&] { return passes_of_epoch(config, state.stage, kPairs) * epochs_in_stage(state, 10); };
  // An epoch has 500 draws, and corpus 1 gets 3 * 100 of 400 + 3 * 100 of them.
  EXPECT_NEAR(epochs(), 2.5 * 500.0 * 300.0 / 700.0 / 100.0, 1e-3);
  config.training.stages[1].corpus.reset();
  EXPECT_DOUBLE_EQ(epochs(), 2.5);
}

TEST(Stages, EndAtTheFirstOfTheirLimits) {
  const StageOptions stage{.steps = 10, .epochs = 2.0, .minutes = 1.0, .patience = 3};
  auto state = state_at(105, 0, 0, {.step = 100, .seconds = 1000.0});
  state.validations_since_best = 2;
  const auto ends = [&](TrainingState now, double epochs, double seconds) {
    return stage_limit_reached(stage, now, epochs, seconds).has_value();
  };
  EXPECT_FALSE(ends(state, 1.9, 1000.0 + 59.0 * kSecond));
  EXPECT_TRUE(ends(state, 2.0, 1000.0));
  EXPECT_TRUE(ends(state, 1.0, 1060.0 * kSecond));
  auto later = state;
  later.step = 110;
  EXPECT_TRUE(ends(later, 1.0, 1000.0));
  auto worse = state;
  worse.validations_since_best = 3;
  EXPECT_TRUE(ends(worse, 1.0, 1000.0));
  EXPECT_FALSE(stage_limit_reached({}, later, 1e9, 1e9).has_value());
}

TEST(Stages, TheNextOneBeginsWithAnEpoch) {
  auto state = state_at(7, 2, 3, {});
  state.validations_since_best = 4;
  enter_next_stage(state, 50.0);
  EXPECT_EQ(state.stage, (StageState{.index = 1, .step = 7, .epoch = 3, .seconds = 50.0}));
  EXPECT_EQ(state.batches_in_epoch, 0);
  EXPECT_EQ(state.validations_since_best, 0);
  enter_next_stage(state, 60.0);  // where an epoch has just ended, none is skipped
  EXPECT_EQ(state.epoch, 3);
}

}  // namespace
}  // namespace translate::trainer
