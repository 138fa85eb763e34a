// The trainer on a device that is not the CPU.

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "core/error.h"
#include "model/memory_need.h"
#include "support/error_of.h"
#include "tensors/device_memory.h"
#include "training/training_check.h"
#include "unit/simulated_device/device_run.h"

namespace translate {
namespace {

using simulated::StackTrace;
using testing::error_of;
using ::testing::HasSubstr;

/// A way of training, by what it changes in the configuration.
struct Way {
  const char* name;
  std::function<void(Config&)> change;
};

std::ostream& operator<<(std::ostream& stream, const Way& way) { return stream << way.name; }

const Way kWays[] = {
    {"Adam", [](Config&) {}},
    {"Muon", [](Config& config) { config.training.optimizer.type = OptimizerType::kMuon; }},
    {"AccumulationAndClipping",
     [](Config& config) {
       config.training.accumulation_steps = 2;
       config.training.clip_grad_norm = 0.5;
       config.training.optimizer.weight_decay = 0.01;
     }},
    {"MovingAverage", [](Config& config) { config.training.ema_decay = 0.9; }},
    {"RDrop", [](Config& config) { config.training.r_drop = 2.0; }},
    {"SimCut", [](Config& config) { config.training.sim_cut = 2.0; }},
    {"LayerDrop",
     [](Config& config) {
       config.model.layer_drop = 0.4;
       config.model.encoder_layers = 3;
     }},
    {"RecurrentUnits",
     [](Config& config) {
       config.model.decoder = DecoderKind::kSsru;
       config.model.norm = NormPlacement::kPost;
     }},
    {"LearnedPositionsPostNorm",
     [](Config& config) {
       config.model.positions = PositionKind::kLearned;
       config.model.max_positions = 40;
       config.model.norm = NormPlacement::kPost;
       config.model.layer_norm = LayerNormKind::kReference;
       config.model.tie_embeddings = EmbeddingTying::kNone;
       config.model.attention_bias = true;
       config.model.activation = Activation::kGelu;
     }},
};

class TrainingOnDevice : public DeviceRun, public ::testing::WithParamInterface<Way> {
 protected:
  [[nodiscard]] Config config_for(const std::string& run) const {
    auto config = small_config(run);
    GetParam().change(config);
    return config;
  }
};

TEST_P(TrainingOnDevice, IsTrainingOnTheCpuWithinRounding) {
  const auto there = config_for("there");
  const auto here = config_for("here");
  auto found = train(there, device_);
  auto expected = train(here, c10::kCPU);
  // Softmax does not depend on the keys' bias, whose gradient is rounding alone: Adam makes steps of any sign of it.
  for (auto* weights : {&found, &expected}) {
    std::erase_if(*weights, [](const auto& weight) { return weight.first.ends_with("w_k.bias"); });
  }
  expect_near(reported(there, "train", "loss"), reported(here, "train", "loss"), 1e-4);
  expect_near(reported(there, "train", "smoothed_loss"), reported(here, "train", "smoothed_loss"), 1e-4);
  expect_near(reported(there, "validation", "loss"), reported(here, "validation", "loss"), 1e-3);
  expect_near(found, expected, 2e-3);
}

TEST_P(TrainingOnDevice, ResumesAsIfItHadNotStopped) {
  const auto with_dropout = [this](const std::string& run) {
    auto config = config_for(run);
    config.model.dropout = 0.2;
    config.training.word_dropout = {.source = 0.1, .target = 0.1};
    return config;
  };
  const auto whole = with_dropout("whole");
  const auto expected = train(whole, device_);
  auto stopped = with_dropout("stopped");
  stopped.training.max_steps = 4;
  train(stopped, device_);
  at::manual_seed(12345);  // whatever a new process would have
  stopped.training.max_steps = 8;
  const auto found = train(stopped, device_);
  expect_near(found, expected, /*tolerance=*/0.0);
  EXPECT_EQ(reported(stopped, "validation", "loss").back(), reported(whole, "validation", "loss").back());
}

INSTANTIATE_TEST_SUITE_P(Ways, TrainingOnDevice, ::testing::ValuesIn(kWays),
                         [](const auto& way) { return std::string(way.param.name); });

class TrainerOnDevice : public DeviceRun {
 protected:
  /// Trains, and returns the waits of a kind of place by how often they occurred.
  static std::map<StackTrace, std::vector<simulated::Wait>> waits_of(const Config& config, const c10::Device& device) {
    static_cast<void>(simulated::take_waits());
    train(config, device);
    std::map<StackTrace, std::vector<simulated::Wait>> waits;
    for (auto& wait : simulated::take_waits()) {
      waits[wait.stack].push_back(std::move(wait));
    }
    return waits;
  }
};

/// Everything that a step can contain, at once.
Config with_everything(Config config) {
  config.model.dropout = 0.2;
  config.model.layer_drop = 0.2;
  config.training.word_dropout = {.source = 0.1, .target = 0.1};
  config.training.r_drop = 1.0;
  config.training.clip_grad_norm = 1.0;
  config.training.accumulation_steps = 2;
  config.training.ema_decay = 0.9;
  config.training.optimizer.type = OptimizerType::kMuon;
  return config;
}

TEST_F(TrainerOnDevice, NeverWaitsBetweenReports) {
  const auto with_steps = [this](std::int64_t steps) {
    auto config = with_everything(small_config("run-" + std::to_string(steps)));
    config.data.validation.files.clear();
    config.training.max_steps = steps;  // of several epochs
    config.training.log_every = 100;
    config.training.checkpoint_every = {100};
    return waits_of(config, device_);
  };
  std::map<std::int64_t, std::map<StackTrace, std::vector<simulated::Wait>>> found;
  for (const std::int64_t steps : {4, 24}) {
    found[steps] = with_steps(steps);  // called at one place, so that the same waits have the same stacks
  }
  ASSERT_FALSE(found[4].empty());  // saving waits
  for (const auto& [place, waits] : found[24]) {
    EXPECT_LE(waits.size(), found[4][place].size()) << "more steps, more waits: " << waits.front().text();
  }
}

TEST_F(TrainerOnDevice, WaitsAFewTimesForAReport) {
  const auto with_reports = [this](std::int64_t every) {
    auto config = with_everything(small_config("run-" + std::to_string(every)));
    config.data.validation.files.clear();
    config.training.max_steps = 12;
    config.training.log_every = every;
    config.training.checkpoint_every = {100};
    std::size_t count = 0;
    for (const auto& [place, waits] : waits_of(config, device_)) {
      count += waits.size();
    }
    return count;
  };
  constexpr std::size_t kWaitsOfAReport = 4;  // refused or not, and three sums
  const auto one = with_reports(12);
  EXPECT_LE(with_reports(4), one + 2 * kWaitsOfAReport);
}

TEST_F(TrainerOnDevice, AutocastsToBf16WhereThePrecisionIsAuto) {
  EXPECT_EQ(resolve_precision(Precision::kAuto, trainer::kind_of(device_)), Precision::kBf16);
  auto there = small_config("there");
  there.training.precision = Precision::kAuto;
  const auto here = small_config("here");
  train(there, device_);
  train(here, c10::kCPU);
  const auto found = reported(there, "train", "loss");
  const auto expected = reported(here, "train", "loss");
  expect_near(found, expected, 2e-2);
  EXPECT_NE(found, expected);
}

TEST_F(TrainerOnDevice, DividesABatchThatDoesNotFit) {
  const auto large_batches = [this](const std::string& run) {
    auto config = small_config(run);
    config.training.batch_tokens = 800;  // so that activations take more memory than weights
    config.data.validation.files.clear();
    return config;
  };
  const auto whole = large_batches("whole");
  const auto expected = train(whole, c10::kCPU);
  constexpr const char* kDivided = "not enough memory for a training step";
  std::size_t too_small = 256;  // KiB: a sentence does not fit
  std::size_t enough = 65536;   // KiB: a batch does
  while (enough - too_small > 1) {
    const auto kibibytes = (too_small + enough) / 2;
    const auto divided = large_batches("divided-" + std::to_string(kibibytes));
    std::map<std::string, at::Tensor> found;
    ::testing::internal::CaptureStderr();
    try {
      const simulated::MemoryLimit limit(kibibytes << 10U);
      found = train(divided, device_);
    } catch (const std::exception&) {
      too_small = kibibytes;
    }
    const auto log = ::testing::internal::GetCapturedStderr();
    if (!found.empty() && log.find(kDivided) != std::string::npos) {
      expect_near(reported(divided, "train", "loss"), reported(whole, "train", "loss"), 1e-4);
      expect_near(found, expected, 2e-3);
      return;
    }
    if (!found.empty()) {
      enough = kibibytes;
    }
  }
  FAIL() << "no limit lets a sentence fit and not a batch";
}

TEST_F(TrainerOnDevice, MeasuresTheBatchSizeInTheMemoryOfTheDevice) {
  std::map<int, std::int64_t> tokens;
  for (const int mebibytes : {64, 256}) {
    auto config = small_config("run-" + std::to_string(mebibytes));
    config.training.batch_tokens = TokenBudget{};
    config.training.max_steps = 1;
    const simulated::MemoryLimit limit(static_cast<std::size_t>(mebibytes) << 20U);
    const auto outcome = trainer::train(config, /*start=*/{}, device_);
    tokens[mebibytes] = Checkpoint(outcome.checkpoint, Verify::kFull).config().training.batch_tokens.tokens;
  }
  EXPECT_GT(tokens[64], 0);
  EXPECT_GT(tokens[256], 2 * tokens[64]);
}

TEST_F(TrainerOnDevice, ReportsAnUpdateThatIsNotFinite) {
  auto config = small_config("run");
  config.training.learning_rate = 1e30;
  const auto message = error_of<RuntimeError>([&] { return train(config, device_); });
  EXPECT_THAT(message, HasSubstr("the loss or a gradient is not finite"));
  EXPECT_THAT(message, HasSubstr("A batch of"));
}

TEST_F(TrainerOnDevice, AModelThatDoesNotFitIsRefused) {
  auto config = small_config("run");
  config.model.d_model = 256;
  const simulated::MemoryLimit limit(1U << 20U);
  EXPECT_THAT(error_of<ConfigError>([&] { return train(config, device_); }), HasSubstr("at most on simulated:1"));
}

TEST_F(TrainerOnDevice, ChecksWithoutTraining) {
  const auto config = small_config("run");
  EXPECT_THAT(trainer::check_training(config, /*start=*/{}, device_).text, HasSubstr("parameters"));
}

TEST_F(TrainerOnDevice, StartsFromWeightsOfAnotherRunAndOfTheCpu) {
  auto config = small_config("first");
  config.training.max_steps = 4;
  const auto on_cpu = trainer::train(config, /*start=*/{}, c10::kCPU);
  auto next = small_config("second");
  next.training.max_steps = 4;
  const auto there = trainer::train(next, {.resume = "auto", .init = on_cpu.checkpoint.string()}, device_);
  auto same = small_config("third");
  same.training.max_steps = 4;
  const auto here = trainer::train(same, {.resume = "auto", .init = on_cpu.checkpoint.string()}, c10::kCPU);
  expect_near(reported(next, "train", "loss"), reported(same, "train", "loss"), 1e-4);
  EXPECT_NE(there.checkpoint, here.checkpoint);
}

TEST_F(TrainerOnDevice, TakesUpARunOfTheCpuAndGivesItBack) {
  const auto whole = small_config("whole");
  const auto expected = train(whole, c10::kCPU);
  auto moved = small_config("moved");
  moved.training.max_steps = 3;
  train(moved, c10::kCPU);
  moved.training.max_steps = 6;
  train(moved, device_);
  moved.training.max_steps = 8;
  expect_near(train(moved, c10::kCPU), expected, 2e-3);
}

}  // namespace
}  // namespace translate
