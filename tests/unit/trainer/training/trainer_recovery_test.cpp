#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "core/error.h"
#include "data/batches/data_loader.h"
#include "support/error_of.h"
#include "unit/trainer/training/small_training.h"

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::Not;

class TrainerRecoveryTest : public SmallTraining {
 protected:
  /// Trains from weights with which one pair of the batch `bad` of the first epoch overflows.
  void spoil_batch(OneTraining& training, std::int64_t bad) const {
    const auto weights = parameters_of(training.trainer);
    const auto word = "pair" + std::to_string(pair_of(bad));
    const auto ids = sample_.tokenizers.source.encode(word);
    tensor_of(weights, "src_embed.embedding.weight")[ids.back()].fill_(std::numeric_limits<float>::max());
    training.trainer.initialise(weights, "a test");
  }

  /// Trains from weights with which every step is not finite.
  static void spoil_all(OneTraining& training) {
    const auto weights = parameters_of(training.trainer);
    weights.front().second.fill_(std::numeric_limits<float>::quiet_NaN());
    training.trainer.initialise(weights, "a test");
  }

  /// The first pair of a batch of the first epoch, counted from 0.
  [[nodiscard]] std::int64_t pair_of(std::int64_t number) const {
    EpochLoader loader(sample_.encoded, sample_.tokenizers, training_loader_options(config_), /*epoch=*/0,
                       static_cast<std::size_t>(number));
    return loader.next().value().indices.front();
  }

 private:
  static NamedTensors parameters_of(const Trainer& trainer) {
    NamedTensors weights;
    for (const auto& [name, parameter] : unique_parameters(trainer.model())) {
      weights.emplace_back(name, parameter.detach().clone());
    }
    return weights;
  }

  static at::Tensor tensor_of(const NamedTensors& tensors, const std::string& name) {
    const auto found = std::ranges::find(tensors, name, &NamedTensors::value_type::first);
    EXPECT_NE(found, tensors.end()) << name;
    return found->second;
  }
};

TEST_F(TrainerRecoveryTest, AStepThatIsNotFiniteStopsTrainingAndItsPairIsNamed) {
  OneTraining training(config_, data());
  spoil_batch(training, 4);
  EXPECT_THAT(error_of<RuntimeError>([&] { return training.trainer.run(); }),
              AllOf(HasSubstr("step 5: the loss or a gradient is not finite"),
                    HasSubstr("train.src:" + std::to_string(pair_of(4) + 1)), HasSubstr("training.if_not_finite"),
                    HasSubstr("The last checkpoint is as it was")));
}

TEST_F(TrainerRecoveryTest, ASkippedStepIsNoStepAndChangesNothing) {
  // The last batch of the epoch is skipped, so that training has then made the steps of all others.
  auto others = config_for("others");
  others.training.max_steps = kBatches - 1;
  OneTraining without_it(others, data());
  spoil_batch(without_it, kBatches - 1);
  without_it.trainer.run();
  config_.training.if_not_finite = NonFinite::kSkip;
  config_.training.max_steps = 0;
  config_.training.max_epochs = 1;
  OneTraining training(config_, data());
  spoil_batch(training, kBatches - 1);
  training.trainer.run();
  EXPECT_EQ(training.trainer.state().step, kBatches - 1);
  EXPECT_EQ(training.trainer.state().epoch, 1);
  EXPECT_EQ(training.trainer.state().target_tokens, without_it.trainer.state().target_tokens);
  expect_equal(weights_of(training.trainer), weights_of(without_it.trainer));
}

TEST_F(TrainerRecoveryTest, AResumedRunSkipsAsOneThatHasNotStopped) {
  config_.training.if_not_finite = NonFinite::kSkip;
  config_.training.max_steps = 6;
  OneTraining whole(config_for("whole"), data());
  spoil_batch(whole, 3);
  whole.trainer.run();
  EXPECT_EQ(whole.trainer.state().batches_in_epoch, 7);
  auto stopped = config_for("stopped");
  stopped.training.max_steps = 4;  // the last of them after the one that is skipped
  {
    OneTraining training(stopped, data());
    spoil_batch(training, 3);
    training.trainer.run();
  }
  stopped.training.max_steps = 6;
  OneTraining resumed(stopped, data());
  resumed.resume();
  resumed.trainer.run();
  expect_equal(weights_of(resumed.trainer), weights_of(whole.trainer));
}

TEST_F(TrainerRecoveryTest, TrainingGoesBackToTheCheckpointAndTakesTheRestInAnotherOrder) {
  config_.training.if_not_finite = NonFinite::kGoBack;
  config_.training.checkpoint_every = {2};
  config_.training.max_steps = 6;
  OneTraining whole(config_for("whole"), data());
  spoil_batch(whole, 4);
  whole.trainer.run();
  const auto& state = whole.trainer.state();
  EXPECT_EQ(state.step, 6);
  EXPECT_EQ(state.batches_in_epoch, 6) << "the step that was not finite is not counted";
  EXPECT_GE(state.data_order, 1);
  // The same, with an interruption after the return.
  auto stopped = config_for("stopped");
  stopped.training.max_steps = 5;
  {
    OneTraining training(stopped, data());
    spoil_batch(training, 4);
    training.trainer.run();
  }
  stopped.training.max_steps = 6;
  OneTraining resumed(stopped, data());
  resumed.resume();
  resumed.trainer.run();
  EXPECT_EQ(resumed.trainer.state().data_order, state.data_order);
  expect_equal(weights_of(resumed.trainer), weights_of(whole.trainer));
}

TEST_F(TrainerRecoveryTest, GoingBackNeedsACheckpoint) {
  config_.training.if_not_finite = NonFinite::kGoBack;
  OneTraining training(config_, data());
  spoil_batch(training, 1);
  EXPECT_THAT(error_of<RuntimeError>([&] { return training.trainer.run(); }),
              AllOf(HasSubstr("step 2"), HasSubstr("There is no checkpoint yet to go back to.")));
}

TEST_F(TrainerRecoveryTest, StepsThatAreAllNotFiniteEndTraining) {
  config_.training.if_not_finite = NonFinite::kSkip;
  config_.training.max_steps = 100;
  OneTraining training(config_, data());
  spoil_all(training);
  EXPECT_THAT(error_of<RuntimeError>([&] { return training.trainer.run(); }),
              AllOf(HasSubstr("The 10 steps before it were skipped."), Not(HasSubstr("training.if_not_finite"))));
  const auto& state = training.trainer.state();
  EXPECT_EQ(state.epoch * kBatches + state.batches_in_epoch, 10);
}

TEST_F(TrainerRecoveryTest, TrainingGoesBackToACheckpointAFewTimesAtMost) {
  config_.training.if_not_finite = NonFinite::kGoBack;
  config_.training.learning_rate = 1e30;  // the weights after the first step overflow with any data
  config_.training.checkpoint_every = {1};
  OneTraining training(config_, data());
  EXPECT_THAT(error_of<RuntimeError>([&] { return training.trainer.run(); }),
              HasSubstr("Training went back to step 1 3 times."));
  EXPECT_EQ(training.trainer.state().data_order, 3);
}

TEST_F(TrainerRecoveryTest, AnExplainedStepThatIsNotFiniteIsAnErrorWhateverTheReaction) {
  config_.training.if_not_finite = NonFinite::kSkip;
  OneTraining training(config_, data());
  spoil_batch(training, 0);
  EXPECT_THAT(error_of<RuntimeError>([&] { return training.trainer.explain_step(); }), HasSubstr("step 1"));
}

}  // namespace
}  // namespace translate::trainer
