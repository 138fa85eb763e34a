#include "training/batch_fit.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/memory.h"
#include "data/batches/data_loader.h"
#include "unit/data/encoded/sample_corpus.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

TEST(StepMemoryTest, TwoStepsGiveALine) {
  const std::vector<TriedStep> steps = {{.target_tokens = 100, .weight = 1000, .bytes = 5000 + 3 * 1000},
                                        {.target_tokens = 400, .weight = 4000, .bytes = 5000 + 3 * 4000}};
  const auto memory = fit_step_memory(steps);
  EXPECT_DOUBLE_EQ(memory.fixed, 5000);
  EXPECT_DOUBLE_EQ(memory.per_token, 30);
  EXPECT_DOUBLE_EQ(memory.bytes_for(1000), 35000);
}

TEST(StepMemoryTest, TheHeavierShapeCounts) {
  const std::vector<TriedStep> steps = {{.target_tokens = 100, .weight = 2000, .bytes = 2000},
                                        {.target_tokens = 400, .weight = 4000, .bytes = 4000}};
  EXPECT_DOUBLE_EQ(fit_step_memory(steps).per_token, 20);
}

TEST(StepMemoryTest, WhatGivesNoLineIsTakenInProportion) {
  const TriedStep step{.target_tokens = 100, .weight = 1000, .bytes = 50000};
  for (const auto& steps : {std::vector<TriedStep>{step}, std::vector<TriedStep>{step, step},
                            std::vector<TriedStep>{{.target_tokens = 50, .weight = 500, .bytes = 60000}, step},
                            std::vector<TriedStep>{{.target_tokens = 50, .weight = 500, .bytes = 10}, step}}) {
    const auto memory = fit_step_memory(steps);
    EXPECT_EQ(memory.fixed, 0.0);
    EXPECT_DOUBLE_EQ(memory.per_token, 500);
  }
}

TEST(StepMemoryTest, WeightGrowsWithRowsAndFasterWithLength) {
  ModelOptions model;
  EXPECT_DOUBLE_EQ(step_weight(model, 20, 30, 40), 20 * step_weight(model, 1, 30, 40));
  EXPECT_GT(step_weight(model, 1, 60, 80), 2 * step_weight(model, 1, 30, 40));
}

TEST(BatchSizeTest, FillsItsShareOfTheMemoryAtHand) {
  const StepMemory memory{.fixed = 0.5 * kGibibyte, .per_token = 1e6};
  double before = 0.0;
  for (const double gibibytes : {2.0, 4.0, 8.0, 16.0}) {
    const auto size = choose_batch_size(memory, gibibytes * kGibibyte);
    EXPECT_LE(size.step_bytes, kShareOfMemory * gibibytes * kGibibyte);
    EXPECT_GT(memory.bytes_for(static_cast<double>(size.tokens) + 100), kShareOfMemory * gibibytes * kGibibyte);
    EXPECT_GT(static_cast<double>(size.tokens), before);
    before = static_cast<double>(size.tokens);
    EXPECT_THAT(size.describe(c10::kCPU), AllOf(HasSubstr(std::to_string(size.tokens) + " target tokens:"),
                                                HasSubstr("MiB are available on cpu")));
  }
}

TEST(BatchSizeTest, StaysWithinItsLimits) {
  const StepMemory memory{.fixed = kGibibyte, .per_token = 1e6};
  EXPECT_EQ(choose_batch_size(memory, 0.0).tokens, kSmallestAutoBatch);
  EXPECT_EQ(choose_batch_size(memory, kGibibyte).tokens, kSmallestAutoBatch);
  EXPECT_EQ(choose_batch_size(memory, 1e15).tokens, kLargestAutoBatch);
  EXPECT_THAT(choose_batch_size(memory, 0.0).describe(c10::kCPU), HasSubstr("the smallest that auto uses"));
  EXPECT_THAT(choose_batch_size(memory, 1e15).describe(c10::kCPU), HasSubstr("the largest that auto uses"));
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
    return {.tokenizers = sample_.tokenizers,
            .train = sample_.encoded,
            .validation = sample_.encoded,
            .validation_text = sample_.text,
            .statistics = statistics};
  }

  SampleCorpus sample_;
  Config config_;
};

TEST_F(MeasureBatchSizeTest, MeasuresRealSteps) {
  const auto size = measure_batch_size(data(), config_, c10::kCPU);
  EXPECT_GE(size.tokens, kSmallestAutoBatch);
  EXPECT_LE(size.tokens, kLargestAutoBatch);
  // At least what must be kept: the embedded source and target of each position.
  EXPECT_GT(size.step_bytes, 2.0 * static_cast<double>(size.tokens * config_.model.d_model) * sizeof(float));
  EXPECT_GT(size.at_hand, 0.0);
  EXPECT_LE(size.at_hand, 2.0 * static_cast<double>(memory_at_hand(c10::kCPU)));
}

TEST_F(MeasureBatchSizeTest, OnlyAutoIsMeasured) {
  const auto resolved = with_batch_size(config_, data(), c10::kCPU);
  EXPECT_FALSE(resolved.training.batch_tokens.is_auto());
  EXPECT_NO_THROW(static_cast<void>(training_loader_options(resolved)));
  EXPECT_THROW(static_cast<void>(training_loader_options(config_)), ConfigError);
  config_.training.batch_tokens = 77;
  EXPECT_EQ(with_batch_size(config_, data(), c10::kCPU).training.batch_tokens.tokens, 77);
}

}  // namespace
}  // namespace translate
