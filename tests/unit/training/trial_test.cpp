#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "training/batch_fit.h"
#include "unit/data/encoded/sample_corpus.h"

namespace translate {
namespace {

class TrialTest : public ::testing::Test {
 protected:
  TrialTest() : sample_(sample_corpus(60)) {
    config_.model.d_model = 16;
    config_.model.encoder_layers = 1;
    config_.model.decoder_layers = 1;
    config_.model.num_heads = 2;
    config_.model.d_ff = 32;
  }

  Trial try_batches_of(std::int64_t tokens, double multiply_adds = 1e12) {
    config_.training.batch_tokens = tokens;
    at::manual_seed(2);
    const auto model = build_transformer(config_.model, vocabulary_sizes(sample_.tokenizers));
    const TrainingData data{.tokenizers = sample_.tokenizers,
                            .train = sample_.encoded,
                            .validation = sample_.encoded,
                            .validation_text = sample_.text,
                            .statistics = {}};
    return run_trial(model, data, config_, c10::kCPU, {.seconds = 0.0, .multiply_adds = multiply_adds});
  }

  SampleCorpus sample_;
  Config config_;
};

TEST_F(TrialTest, TimesOneBatchAtLeastEvenWhereAnEpochHasButOne) {
  const auto trial = try_batches_of(1000000);
  EXPECT_EQ(trial.target_tokens, sample_.encoded->statistics().target_subwords + std::ssize(sample_.text.source));
  EXPECT_EQ(trial.updates, 1);
  EXPECT_GT(trial.pass_seconds, 0.0);
  EXPECT_GT(trial.update_seconds, 0.0);
  EXPECT_DOUBLE_EQ(trial.seconds_for(2.0 * static_cast<double>(trial.target_tokens), 3.0),
                   2.0 * trial.pass_seconds + 3.0 * trial.update_seconds);
  EXPECT_EQ(trial.share_of_batch, 1.0);
}

TEST_F(TrialTest, LargerBatchesTakeMoreMemory) {
  const auto small = try_batches_of(60);
  const auto large = try_batches_of(600);
  EXPECT_GT(small.forward_bytes, 0);
  EXPECT_GE(small.peak_bytes, small.gradient_bytes);
  EXPECT_GT(large.forward_bytes, 2 * small.forward_bytes);
  EXPECT_GT(large.peak_bytes, large.forward_bytes);
  EXPECT_EQ(large.bytes_per_batch(), static_cast<double>(large.peak_bytes));
  // At least what must be kept: the embedded source and target of each position.
  EXPECT_GT(large.forward_bytes, 2 * 600 * config_.model.d_model * static_cast<std::int64_t>(sizeof(float)));
}

TEST_F(TrialTest, WhatTakesTooLongIsTriedOnAPartOfEachBatch) {
  const auto trial = try_batches_of(1000000, /*multiply_adds=*/1e6);
  EXPECT_LT(trial.share_of_batch, 1.0);
  EXPECT_LT(trial.target_tokens, sample_.encoded->statistics().target_subwords);
  EXPECT_DOUBLE_EQ(trial.bytes_per_batch(), static_cast<double>(trial.forward_bytes) / trial.share_of_batch +
                                                static_cast<double>(trial.gradient_bytes));
  EXPECT_GE(trial.bytes_per_batch(), static_cast<double>(trial.peak_bytes));
}

}  // namespace
}  // namespace translate
