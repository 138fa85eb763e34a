#include "training/trainer.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/file.h"
#include "model/aligning_attention.h"
#include "support/process_threads.h"
#include "training/alignment_measure.h"
#include "unit/trainer/training/small_training.h"

namespace translate::trainer {
namespace {

/// A way of training, by what it changes in the configuration.
struct TrainingWay {
  const char* name;
  std::function<void(Config&)> change;
};

std::ostream& operator<<(std::ostream& stream, const TrainingWay& way) { return stream << way.name; }

void drop_much(Config& config) {
  config.model.dropout = 0.2;
  config.model.layer_drop = 0.2;
  config.training.word_dropout = {.source = 0.1, .target = 0.1};
}

const TrainingWay kTrainingWays[] = {
    {"AdamWithDropout", drop_much},
    {"Muon", [](Config& config) { config.training.optimizer.type = OptimizerType::kMuon; }},
    {"AccumulationAndClipping",
     [](Config& config) {
       drop_much(config);
       config.training.accumulation_steps = 3;
       config.training.clip_grad_norm = 0.5;
     }},
    {"MovingAverage", [](Config& config) { config.training.ema_decay = 0.9; }},
    {"GuidedAlignment",
     [](Config& config) {
       drop_much(config);
       config.training.guided_alignment = GuidedAlignment::kAuto;
       config.training.accumulation_steps = 2;
     }},
    {"SimCut",
     [](Config& config) {
       drop_much(config);
       config.training.sim_cut = 3.0;
     }},
    {"RecurrentUnits",
     [](Config& config) {
       drop_much(config);
       config.model.decoder = DecoderKind::kSsru;
     }},
    {"RDropByOperators",
     [](Config& config) {
       drop_much(config);
       config.training.r_drop = 2.0;
       config.training.fused_kernels = false;
     }},
};

/// The names of everything in a folder, with the sizes of files.
std::map<std::string, std::uintmax_t> entries_of(const std::filesystem::path& folder) {
  std::map<std::string, std::uintmax_t> entries;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    entries.emplace(entry.path().string(), entry.is_regular_file() ? entry.file_size() : 0);
  }
  return entries;
}

class TrainerInAnyWay : public SmallTraining, public ::testing::WithParamInterface<TrainingWay> {
 protected:
  TrainerInAnyWay() { GetParam().change(config_); }

  /// The losses that a run has reported.
  [[nodiscard]] std::vector<double> losses_of(const std::string& run) const {
    std::vector<double> losses;
    std::istringstream lines(read_file(folder_ / run / "metrics.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      losses.push_back(nlohmann::json::parse(line).at("loss"));
    }
    return losses;
  }
};

/// Trainings that validate on their training pairs.
class TrainerOfAlignments : public SmallTraining {
 protected:
  [[nodiscard]] TrainingData with_validation() const {
    auto all = data();
    all.validation = sample_.encoded;
    all.validation_text = sample_.text;
    return all;
  }
};

TEST_P(TrainerInAnyWay, ResumesAsIfItHadNotStopped) {
  config_.training.max_steps = 11;  // in the second epoch, or in the fourth one
  OneTraining whole(config_for("whole"), data());
  whole.trainer.run();
  auto stopped = config_for("stopped");
  stopped.training.max_steps = 5;  // in the middle of an epoch, and of a report
  OneTraining(stopped, data()).trainer.run();
  at::manual_seed(12345);  // whatever a new process would have
  stopped.training.max_steps = 11;
  OneTraining resumed(stopped, data());
  resumed.resume();
  EXPECT_EQ(resumed.trainer.state().step, 5);
  resumed.trainer.run();
  expect_equal(weights_of(resumed.trainer), weights_of(whole.trainer));
  EXPECT_EQ(losses_of("stopped"), losses_of("whole"));
  const auto& found = resumed.trainer.state();
  const auto& expected = whole.trainer.state();
  EXPECT_EQ(found.epoch, expected.epoch);
  EXPECT_EQ(found.batches_in_epoch, expected.batches_in_epoch);
  EXPECT_EQ(found.target_tokens, expected.target_tokens);
  EXPECT_EQ(found.window.loss_sum, expected.window.loss_sum);
}

TEST_P(TrainerInAnyWay, ExplainsTheStepThatItWouldMakeNext) {
  config_.training.log_every = 1;
  config_.training.max_steps = 3;
  OneTraining(config_, data()).trainer.run();
  config_.training.max_steps = 4;
  StepExplanation step;
  std::map<std::string, at::Tensor> explained;
  {
    OneTraining training(config_, data());
    training.resume();
    const auto files = entries_of(config_.run_dir);
    step = training.trainer.explain_step();
    EXPECT_EQ(entries_of(config_.run_dir), files) << "it writes nothing";
    explained = weights_of(training.trainer);
  }
  OneTraining training(config_, data());
  training.resume();
  const auto before = weights_of(training.trainer);
  training.trainer.run();
  expect_equal(explained, weights_of(training.trainer));
  EXPECT_EQ(step.step, 4);
  EXPECT_EQ(step.first_batch, 3 * config_.training.accumulation_steps % (kBatches + 1));
  EXPECT_EQ(step.batches_in_epoch, kBatches);
  EXPECT_DOUBLE_EQ(step.update.learning_rate, config_.training.learning_rate);
  EXPECT_NEAR(step.loss.plain, losses_of("run").back(), 1e-6);
  double squares = 0.0;
  for (const auto& [name, weight] : explained) {
    squares += std::pow((weight - before.at(name)).to(at::kDouble).norm().item<double>(), 2.0);
  }
  EXPECT_NEAR(step.update.update_norm, std::sqrt(squares), 1e-6);
}

TEST_F(TrainerOfAlignments, ACheckpointNamesTheAttentionThatAlignsBest) {
  OneTraining training(config_, with_validation());
  training.trainer.run();
  const auto saved = training.run.checkpoints().latest(Verify::kFull)->config().model;
  const auto best = best_of(AlignmentMeasure(with_validation()).measure(training.trainer.model(), c10::kCPU));
  EXPECT_EQ(aligning_attention(saved), best.attention);
  EXPECT_TRUE(saved.alignment_layer);
}

TEST_F(TrainerOfAlignments, AChosenAttentionStays) {
  config_.model.alignment_layer = 0;
  config_.model.alignment_head = 1;
  OneTraining training(config_, with_validation());
  training.trainer.run();
  EXPECT_EQ(training.run.checkpoints().latest(Verify::kFull)->config().model, config_.model);
}

TEST_F(TrainerOfAlignments, GuidedAlignmentIsReportedAndTeachesTheHead) {
  config_.training.max_steps = 60;
  config_.model.decoder_layers = 2;
  const auto error_of_guided = [&](const char* run) {
    const auto config = config_for(run);
    OneTraining training(config, with_validation());
    training.trainer.run();
    for (const auto& [attention, error] :
         AlignmentMeasure(with_validation()).measure(training.trainer.model(), c10::kCPU)) {
      if (attention == guided_attention(config_.model)) {
        return error;
      }
    }
    return 1.0;
  };
  const auto without = error_of_guided("without");
  EXPECT_EQ(read_file(folder_ / "without/metrics.jsonl").find("alignment_loss"), std::string::npos);
  config_.training.guided_alignment = GuidedAlignment::kAuto;
  config_.training.guided_alignment_weight = 1.0;
  EXPECT_LT(error_of_guided("with"), without);
  EXPECT_NE(read_file(folder_ / "with/metrics.jsonl").find("alignment_loss"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Ways, TrainerInAnyWay, ::testing::ValuesIn(kTrainingWays),
                         [](const auto& way) { return std::string(way.param.name); });

class TrainerTest : public SmallTraining {};

TEST_F(TrainerTest, AStepTakesTheBatchesThatItAccumulatesAndTheLastOneOfAnEpochTheRest) {
  config_.training.accumulation_steps = 3;
  for (const auto& [steps, batches] : {std::pair(1, 3), std::pair(2, 6), std::pair(3, 0), std::pair(4, 3)}) {
    config_.training.max_steps = steps;
    OneTraining training(config_for("run-" + std::to_string(steps)), data());
    training.trainer.run();
    EXPECT_EQ(training.trainer.state().batches_in_epoch, batches) << steps;
    EXPECT_EQ(training.trainer.state().epoch, steps / 3) << steps;
    if (steps == 3) {
      EXPECT_EQ(training.trainer.state().target_tokens,
                sample_.encoded->statistics().target_subwords + std::ssize(sample_.text.target));
    }
  }
}

TEST_F(TrainerTest, ProcessesTogetherMakeTheStepsOfOneEvenWhereOneHasNoSentence) {
  config_.training.optimizer.epsilon = 1e-3;  // gradients near 0 are rounding, and shall make no steps of full length
  config_.training.max_steps = 4;
  for (const auto& [sentences, accumulated] : {std::pair(8, 1), std::pair(1, 1), std::pair(8, 3), std::pair(2, 2)}) {
    config_.training.batch_sentences = sentences;
    config_.training.accumulation_steps = accumulated;
    const auto name = std::to_string(sentences) + "-" + std::to_string(accumulated);
    OneTraining alone(config_for("alone-" + name), data());
    alone.trainer.run();
    const auto config = config_for("together-" + name);
    std::mutex drawing_weights;
    in_group(3, [&](ProcessGroup& group) {
      RunDirectory run(config.run_dir);
      if (group.is_first()) {
        run.open();
      }
      // The processes are threads here, and the weights are drawn from LibTorch's generator, which they share.
      std::unique_lock drawing(drawing_weights);
      Trainer trainer(config, data(), run, c10::kCPU, group, OptimizerSharding::kNone);
      drawing.unlock();
      trainer.share_state();
      trainer.run();
      const auto& state = trainer.state();
      EXPECT_EQ(state.step, 4);
      EXPECT_EQ(state.batches_in_epoch, alone.trainer.state().batches_in_epoch);
      EXPECT_EQ(state.target_tokens, alone.trainer.state().target_tokens);
      const auto weights = weights_of(trainer);
      for (const auto& [parameter, expected] : weights_of(alone.trainer)) {
        EXPECT_TRUE(at::allclose(weights.at(parameter), expected, /*rtol=*/1e-3, /*atol=*/1e-3))
            << name << ", " << parameter;
      }
    });
  }
}

TEST_F(TrainerTest, ALimitThatIsReachedTrainsNothing) {
  config_.training.max_steps = 2;
  const auto first = OneTraining(config_, data()).trainer.run();
  EXPECT_TRUE(first.trained);
  EXPECT_EQ(first.reason, "max_steps = 2");
  OneTraining again(config_, data());
  again.resume();
  const auto before = weights_of(again.trainer);
  const auto second = again.trainer.run();
  EXPECT_FALSE(second.trained);
  EXPECT_EQ(second.checkpoint, first.checkpoint);
  expect_equal(weights_of(again.trainer), before);
}

TEST_F(TrainerTest, TheBestModelIsKeptWhateverIsTrainedAfterIt) {
  config_.training.max_steps = 6;
  config_.training.learning_rate = 0.5;  // so high that the model becomes worse
  config_.training.validate_every = {2};
  config_.training.keep_last = 1;
  auto with_validation = data();
  with_validation.validation = sample_.encoded;
  with_validation.validation_text = sample_.text;
  OneTraining training(config_, with_validation);
  training.trainer.run();
  const auto& state = training.trainer.state();
  ASSERT_TRUE(state.best_validation && state.last_validation);
  EXPECT_EQ(state.last_validation->step, 6);
  ASSERT_LT(state.best_validation->step, 6);
  const auto steps = training.run.checkpoints().steps();
  EXPECT_THAT(steps, ::testing::Contains(state.best_validation->step));
  EXPECT_THAT(steps, ::testing::Contains(6));
}

}  // namespace
}  // namespace translate::trainer
