#include "training/step_probe.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/system/memory.h"
#include "data/batches/data_loader.h"
#include "unit/trainer/training/sample_training_data.h"

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

StepCost step_of(std::int64_t tokens, double activations, double bytes) {
  return {
      .steps = 1, .target_tokens = tokens, .peak_bytes = static_cast<std::int64_t>(bytes), .activations = activations};
}

/// Exactly so much memory that `bytes` of it may be used.
double with_room_for(double bytes) { return bytes / kShareOfMemory; }

TEST(ChooseBatchSizeTest, TwoStepsGiveALine) {
  const std::vector<StepCost> steps = {step_of(100, 1000, 5000 + 3 * 1000), step_of(400, 4000, 5000 + 3 * 4000)};
  const auto size = choose_batch_size(steps, with_room_for(5000 + 30 * 1010));  // 30 bytes a token
  EXPECT_EQ(size.tokens, 1000);
  EXPECT_DOUBLE_EQ(size.step_bytes, 35000);
}

TEST(ChooseBatchSizeTest, TheStepWithMoreActivationsATokenCounts) {
  const std::vector<StepCost> steps = {step_of(100, 2000, 2000), step_of(400, 4000, 4000)};
  EXPECT_DOUBLE_EQ(choose_batch_size(steps, with_room_for(20 * 1010)).step_bytes, 20 * 1000);
}

TEST(ChooseBatchSizeTest, StepsThatGiveNoLineGiveAProportion) {
  const auto step = step_of(100, 1000, 50000);
  for (const auto& steps :
       {std::vector<StepCost>{step}, std::vector<StepCost>{step, step},
        std::vector<StepCost>{step_of(50, 500, 60000), step}, std::vector<StepCost>{step_of(50, 500, 10), step}}) {
    EXPECT_DOUBLE_EQ(choose_batch_size(steps, with_room_for(500 * 1010)).step_bytes, 500 * 1000);
  }
}

TEST(ChooseBatchSizeTest, FillsItsShareOfTheAvailableMemory) {
  const std::vector<StepCost> steps = {step_of(1000, 1000, 0.5 * kGibibyte + 1e9),
                                       step_of(4000, 4000, 0.5 * kGibibyte + 4e9)};  // a megabyte a token
  double before = 0.0;
  for (const double gibibytes : {2.0, 4.0, 8.0, 16.0}) {
    const auto size = choose_batch_size(steps, gibibytes * kGibibyte);
    EXPECT_LE(size.step_bytes, kShareOfMemory * gibibytes * kGibibyte);
    EXPECT_GT(size.step_bytes + 100 * 1e6, kShareOfMemory * gibibytes * kGibibyte);
    EXPECT_GT(static_cast<double>(size.tokens), before);
    before = static_cast<double>(size.tokens);
    EXPECT_THAT(size.describe(c10::kCPU), AllOf(HasSubstr(std::to_string(size.tokens) + " target tokens:"),
                                                HasSubstr("MiB are available on cpu")));
  }
}

TEST(ChooseBatchSizeTest, StaysWithinItsLimits) {
  const std::vector<StepCost> steps = {step_of(1000, 1000, kGibibyte + 1e9), step_of(4000, 4000, kGibibyte + 4e9)};
  EXPECT_EQ(choose_batch_size(steps, 0.0).tokens, kSmallestBatch);
  EXPECT_EQ(choose_batch_size(steps, kGibibyte).tokens, kSmallestBatch);
  EXPECT_EQ(choose_batch_size(steps, 1e15).tokens, kLargestBatch);
  EXPECT_THAT(choose_batch_size(steps, 0.0).describe(c10::kCPU), HasSubstr("the smallest that auto uses"));
  EXPECT_THAT(choose_batch_size(steps, 1e15).describe(c10::kCPU), HasSubstr("the largest that auto uses"));
}

TEST(TryStepsTest, NoTrialTakesMoreThanIsAvailable) {
  constexpr std::int64_t kLargest = 8192;
  for (const double fixed : {0.0, 1e6, 1e8}) {
    const auto bytes_of = [&](std::int64_t tokens) { return fixed + 1e4 * static_cast<double>(tokens); };
    for (const double available : {1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 1e9}) {
      std::vector<StepCost> steps;
      try_steps([&](std::int64_t tokens) { return step_of(tokens, static_cast<double>(tokens), bytes_of(tokens)); },
                kLargest, available, steps);
      ASSERT_FALSE(steps.empty());
      EXPECT_LE(steps.front().target_tokens, kSmallestBatch) << "the first is small";
      for (std::size_t i = 1; i < steps.size(); ++i) {
        EXPECT_GE(steps[i].target_tokens, 2 * steps[i - 1].target_tokens);
        EXPECT_LE(static_cast<double>(steps[i].peak_bytes), kShareOfMemory * available) << fixed << " " << available;
      }
      EXPECT_LE(steps.back().target_tokens, kLargest);
    }
    std::vector<StepCost> steps;
    try_steps([&](std::int64_t tokens) { return step_of(tokens, static_cast<double>(tokens), bytes_of(tokens)); },
              kLargest, 1e12, steps);
    EXPECT_EQ(steps.back().target_tokens, kLargest);
  }
}

TEST(StepActivationsTest, GrowWithRowsAndFasterWithLength) {
  ModelOptions model;
  EXPECT_DOUBLE_EQ(step_activations(model, 20, 30, 40), 20 * step_activations(model, 1, 30, 40));
  EXPECT_GT(step_activations(model, 1, 60, 80), 2 * step_activations(model, 1, 30, 40));
  auto recurrent = model;
  recurrent.decoder = DecoderKind::kSsru;
  EXPECT_LT(step_activations(recurrent, 1, 30, 40), step_activations(model, 1, 30, 40));
}

class MeasureBatchSizeTest : public ::testing::Test {
 protected:
  MeasureBatchSizeTest() : sample_(sample_corpus(300)) {
    config_.model.d_model = 16;
    config_.model.encoder_layers = 1;
    config_.model.decoder_layers = 1;
    config_.model.num_heads = 2;
    config_.model.d_ff = 32;
    config_.training.batch_tokens = TokenBudget{};
  }

  [[nodiscard]] TrainingData data() const {
    const auto& text = sample_.encoded->statistics();
    DataStatistics statistics;
    statistics.train_pairs = std::ssize(sample_.text.source);
    statistics.train_source_tokens = text.source_subwords + statistics.train_pairs;
    statistics.train_target_tokens = text.target_subwords + statistics.train_pairs;
    auto data = sample_training_data(sample_);
    data.statistics = statistics;
    return data;
  }

  SampleCorpus sample_;
  Config config_;
};

TEST_F(MeasureBatchSizeTest, MeasuresRealSteps) {
  const auto size = measure_batch_size(data(), config_, c10::kCPU);
  EXPECT_GE(size.tokens, kSmallestBatch);
  EXPECT_LE(size.tokens, kLargestBatch);
  // At least what must be kept: the embedded source and target of each position.
  EXPECT_GT(size.step_bytes, 2.0 * static_cast<double>(size.tokens * config_.model.d_model) * sizeof(float));
  EXPECT_GT(size.available, 0.0);
  EXPECT_LE(size.available, 2.0 * static_cast<double>(available_memory()));
}

TEST_F(MeasureBatchSizeTest, OnlyAutoIsMeasured) {
  const auto resolved = with_batch_size(config_, data(), c10::kCPU);
  EXPECT_FALSE(resolved.training.batch_tokens.is_auto());
  EXPECT_NO_THROW(static_cast<void>(training_loader_options(resolved)));
  EXPECT_THROW(static_cast<void>(training_loader_options(config_)), ConfigError);
  config_.training.batch_tokens = 77;
  EXPECT_EQ(with_batch_size(config_, data(), c10::kCPU).training.batch_tokens.tokens, 77);
}

class TimeStepsTest : public ::testing::Test {
 protected:
  TimeStepsTest() : sample_(sample_corpus(60)) {
    config_.model.d_model = 16;
    config_.model.encoder_layers = 1;
    config_.model.decoder_layers = 1;
    config_.model.num_heads = 2;
    config_.model.d_ff = 32;
  }

  StepCost time_batches_of(std::int64_t tokens, double multiply_adds = 1e12) {
    config_.training.batch_tokens = tokens;
    at::manual_seed(2);
    const auto model = build_transformer(config_.model, vocabulary_sizes(sample_.tokenizers));
    const auto data = sample_training_data(sample_);
    return StepProbe(model, data, config_, c10::kCPU).time_steps(/*seconds=*/0.0, multiply_adds);
  }

  SampleCorpus sample_;
  Config config_;
};

TEST_F(TimeStepsTest, TimesOneBatchAtLeastEvenWhereAnEpochHasOnlyOne) {
  const auto cost = time_batches_of(1000000);
  EXPECT_EQ(cost.target_tokens, sample_.encoded->statistics().target_subwords + std::ssize(sample_.text.source));
  EXPECT_EQ(cost.steps, 1);
  EXPECT_GT(cost.pass_seconds, 0.0);
  EXPECT_GT(cost.update_seconds, 0.0);
  EXPECT_DOUBLE_EQ(cost.seconds_for(2.0 * static_cast<double>(cost.target_tokens), 3.0),
                   2.0 * cost.pass_seconds + 3.0 * cost.update_seconds);
  EXPECT_EQ(cost.share_of_batch, 1.0);
}

TEST_F(TimeStepsTest, LargerBatchesTakeMoreMemory) {
  const auto small = time_batches_of(60);
  const auto large = time_batches_of(600);
  EXPECT_GT(small.forward_bytes, 0);
  EXPECT_GE(small.peak_bytes, small.gradient_bytes);
  EXPECT_GT(large.forward_bytes, 2 * small.forward_bytes);
  EXPECT_GT(large.peak_bytes, large.forward_bytes);
  EXPECT_EQ(large.bytes_per_batch(), static_cast<double>(large.peak_bytes));
  // At least what must be kept: the embedded source and target of each position.
  EXPECT_GT(large.forward_bytes, 2 * 600 * config_.model.d_model * static_cast<std::int64_t>(sizeof(float)));
}

TEST_F(TimeStepsTest, WhereABatchTakesTooLongAShareOfEachIsUsed) {
  const auto cost = time_batches_of(1000000, /*multiply_adds=*/1e6);
  EXPECT_LT(cost.share_of_batch, 1.0);
  EXPECT_LT(cost.target_tokens, sample_.encoded->statistics().target_subwords);
  EXPECT_DOUBLE_EQ(cost.bytes_per_batch(), static_cast<double>(cost.forward_bytes) / cost.share_of_batch +
                                               static_cast<double>(cost.gradient_bytes));
  EXPECT_GE(cost.bytes_per_batch(), static_cast<double>(cost.peak_bytes));
}

}  // namespace
}  // namespace translate::trainer
