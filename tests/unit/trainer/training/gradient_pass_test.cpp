#include "training/gradient_pass.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <new>
#include <numeric>
#include <stdexcept>

#include "core/error.h"
#include "data/batches/data_loader.h"
#include "tensors/device.h"
#include "training/optimizer/optimizer.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A model, some batches, and a memory that holds so many positions.
class GradientPassTest : public ::testing::Test {
 protected:
  GradientPassTest() : sample_(sample_corpus(60)) {
    config_.model.d_model = 16;
    config_.model.encoder_layers = 1;
    config_.model.decoder_layers = 1;
    config_.model.num_heads = 2;
    config_.model.d_ff = 32;
    config_.model.dropout = 0.0;
    config_.training.batch_tokens = 300;
    EpochLoader loader(sample_.encoded, sample_.tokenizers, training_loader_options(config_), /*epoch=*/0);
    while (auto batch = loader.next()) {
      batches_.push_back(std::move(*batch));
    }
    rebuild();
  }

  void rebuild() {
    at::manual_seed(2);
    model_ = build_transformer(config_.model, vocabulary_sizes(sample_.tokenizers));
  }

  /// Switches on all that draws random numbers.
  void drop_everything() {
    config_.model.encoder_layers = 3;
    config_.model.dropout = 0.3;
    config_.model.attention_dropout = 0.2;
    config_.model.activation_dropout = 0.1;
    config_.model.layer_drop = 0.3;
    config_.training.word_dropout = {.source = 0.2, .target = 0.1};
    config_.training.r_drop = 4.0;
    rebuild();
  }

  /// A pass whose memory holds `most` positions: what is larger fails, before the backward pass or in its middle.
  GradientPass pass_within(std::int64_t most, bool fails_in_backward = false) {
    tried_.clear();
    set_word_dropout(model_, config_.training.word_dropout);
    const auto loss = [this, most, fails_in_backward,
                       whole = training_loss(model_, config_.training, c10::kCPU)](const Batch& batch) {
      tried_.push_back(batch.sentences());
      const bool fails = batch.sentences() * batch.width() > most;
      if (fails && !fails_in_backward) {
        throw std::bad_alloc();
      }
      auto sums = whole(batch);
      if (fails) {
        sums.minimised.register_hook([](const at::Tensor&) -> at::Tensor { throw std::bad_alloc(); });
      }
      return sums;
    };
    return {loss, unique_parameters(model_), c10::kCPU};
  }

  std::vector<at::Tensor> gradients() {
    std::vector<at::Tensor> result;
    for (const auto& [name, parameter] : unique_parameters(model_)) {  // a layer that was left out has none
      result.push_back(parameter.grad().defined() ? parameter.grad().clone() : at::zeros_like(parameter));
    }
    clear_gradients(unique_parameters(model_));
    return result;
  }

  static void expect_close(const std::vector<at::Tensor>& left, const std::vector<at::Tensor>& right) {
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      EXPECT_TRUE(at::allclose(left[i], right[i], /*rtol=*/1e-4, /*atol=*/1e-6)) << i;
    }
  }

  SampleCorpus sample_;
  Config config_;
  std::vector<Batch> batches_;
  Transformer model_{nullptr};
  std::vector<std::int64_t> tried_;  ///< sentences of each chunk
};

constexpr std::int64_t kNoLimit = 1 << 30;

TEST_F(GradientPassTest, AnySplittingGivesTheSameGradientAndLoss) {
  ASSERT_GE(batches_.size(), 2U);
  const auto step = std::span<const Batch>(batches_).first(2);  // as with accumulation_steps = 2
  auto whole = pass_within(kNoLimit);
  const auto expected_sums = whole.run(step);
  const auto expected = gradients();
  EXPECT_EQ(tried_.size(), 2U);
  const auto widest = std::max(step[0].width(), step[1].width());
  for (const bool in_backward : {false, true}) {
    for (const std::int64_t most : {widest, 2 * widest, 5 * widest, step[1].sentences() * step[1].width() - 1}) {
      auto split = pass_within(most, in_backward);
      const auto sums = split.run(step);
      EXPECT_GT(tried_.size(), 3U);
      expect_close(gradients(), expected);
      EXPECT_NEAR(sums.plain.item<double>(), expected_sums.plain.item<double>(), 1e-3);
      EXPECT_NEAR(sums.smoothed.item<double>(), expected_sums.smoothed.item<double>(), 1e-3);
      EXPECT_FALSE(sums.smoothed.requires_grad());
    }
  }
}

TEST_F(GradientPassTest, RDropDivergesWithDropoutAloneAndIsOtherwiseThePlainLoss) {
  const auto step = std::span<const Batch>(batches_).first(1);
  auto plain = pass_within(kNoLimit);
  const auto plain_sums = plain.run(step);
  const auto plain_gradient = gradients();
  EXPECT_FALSE(plain_sums.divergence.defined());
  config_.training.r_drop = 5.0;
  for (const bool fused : {true, false}) {
    config_.training.fused_kernels = fused;
    auto twice = pass_within(kNoLimit);
    const auto sums = twice.run(step);
    EXPECT_NEAR(sums.divergence.item<double>(), 0.0, 1e-4);
    EXPECT_NEAR(sums.plain.item<double>(), plain_sums.plain.item<double>(), 1e-2);
    expect_close(gradients(), plain_gradient);
  }
  config_.model.dropout = 0.2;
  rebuild();
  auto dropped = pass_within(kNoLimit);
  const auto sums = dropped.run(step);
  EXPECT_GT(sums.divergence.item<double>(), 0.1);
  EXPECT_GT(sums.plain.item<double>(), 0.0);
  EXPECT_FALSE(sums.smoothed.requires_grad() || sums.divergence.requires_grad());
}

// The cross entropy is that of the plain pass alone; the second pass differs by what was cut, even without dropout.
TEST_F(GradientPassTest, SimCutAddsTheDivergenceOfAPassThatLacksEmbeddings) {
  const auto step = std::span<const Batch>(batches_).first(1);
  auto plain = pass_within(kNoLimit);
  const auto plain_sums = plain.run(step);
  const auto plain_gradient = gradients();
  for (const bool fused : {true, false}) {
    config_.training.fused_kernels = fused;
    config_.training.sim_cut = 3.0;
    config_.training.sim_cut_probability = 0.0;
    auto uncut = pass_within(kNoLimit);
    EXPECT_NEAR(uncut.run(step).divergence.item<double>(), 0.0, 1e-4);
    expect_close(gradients(), plain_gradient);
    config_.training.sim_cut_probability = 0.3;
    auto cut = pass_within(kNoLimit);
    const auto sums = cut.run(step);
    EXPECT_FALSE(at::allclose(gradients().front(), plain_gradient.front(), 1e-2));
    EXPECT_NEAR(sums.plain.item<double>(), plain_sums.plain.item<double>(), 1e-2);
    EXPECT_GT(sums.divergence.item<double>(), 0.1);
    EXPECT_NEAR(sums.minimised.item<double>(), sums.smoothed.item<double>() + 3.0 * sums.divergence.item<double>(),
                1e-2);
  }
}

TEST_F(GradientPassTest, RDropIsTheSameGradientHoweverABatchIsDivided) {
  config_.training.r_drop = 5.0;
  const auto step = std::span<const Batch>(batches_).first(1);
  auto whole = pass_within(kNoLimit);
  whole.run(step);
  const auto expected = gradients();
  auto split = pass_within(2 * step[0].width());
  split.run(step);
  expect_close(gradients(), expected);
}

TEST_F(GradientPassTest, WordDropoutChangesWhatIsLearntAndTheKeyTellsWhich) {
  config_.training.word_dropout = {.source = 0.3, .target = 0.2};
  const auto step = std::span<const Batch>(batches_).first(1);
  std::vector<double> losses;
  for (const std::uint64_t key : {1U, 2U, 1U}) {
    batches_.front().random_key = key;
    for (const bool fused : {true, false}) {
      config_.training.fused_kernels = fused;
      auto pass = pass_within(kNoLimit);
      losses.push_back(pass.run(step).plain.item<double>());
      clear_gradients(unique_parameters(model_));
    }
  }
  EXPECT_EQ(losses[0], losses[4]);
  EXPECT_NEAR(losses[0], losses[1], 1e-2);  // fused or not, the same words
  EXPECT_GT(std::abs(losses[0] - losses[2]), 0.1);
}

TEST_F(GradientPassTest, WhatFailedIsDividedAtOnceTheNextTime) {
  const auto step = std::span<const Batch>(batches_).first(1);
  auto pass = pass_within(step[0].sentences() * step[0].width() / 3);
  pass.run(step);
  const auto first = gradients();
  EXPECT_EQ(tried_.front(), step[0].sentences());
  tried_.clear();
  pass.run(step);
  EXPECT_LT(tried_.front(), step[0].sentences());
  EXPECT_EQ(std::accumulate(tried_.begin(), tried_.end(), std::int64_t{0}), step[0].sentences());  // nothing twice
  expect_close(gradients(), first);
}

TEST_F(GradientPassTest, AFailureThatDividesAStepLeavesItsDropoutAsItIs) {
  drop_everything();
  const auto step = std::span<const Batch>(batches_).first(2);
  for (const bool fused : {true, false}) {
    config_.training.fused_kernels = fused;
    auto whole = pass_within(kNoLimit);
    whole.run(step);
    const auto expected = gradients();
    for (const bool in_backward : {false, true}) {
      auto divided = pass_within(step[0].sentences() * step[0].width() / 2, in_backward);
      divided.run(step);
      EXPECT_GT(tried_.size(), 4U);
      const auto after_failure = gradients();
      expect_close(after_failure, expected);
      divided.run(step);  // divided at once
      const auto at_once = gradients();
      for (std::size_t i = 0; i < at_once.size(); ++i) {
        EXPECT_TRUE(at::equal(after_failure[i], at_once[i])) << i;
      }
    }
  }
}

TEST_F(GradientPassTest, RandomNumbersDependOnTheBatchesAndNotOnWhatWasDrawnBefore) {
  drop_everything();
  const auto step = std::span<const Batch>(batches_).first(2);
  auto pass = pass_within(kNoLimit);
  const auto gradient_after = [&](std::uint64_t seed) {
    seed_generators(seed);
    pass.run(step);
    return gradients();
  };
  const auto first = gradient_after(1);
  const auto second = gradient_after(2);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(at::equal(first[i], second[i])) << i;
  }
  ++batches_[1].random_key;
  const auto other = gradient_after(1);
  double distance = 0.0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    distance += (first[i] - other[i]).norm().item<double>();
  }
  EXPECT_GT(distance, 1e-3);
}

TEST_F(GradientPassTest, OneSentenceThatFailsIsAnErrorAndLeavesNoGradient) {
  auto pass = pass_within(/*most=*/3);
  try {
    pass.run(batches_);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("out of memory"), HasSubstr("a training step"), HasSubstr("data.max_length")));
  }
  for (const auto& [name, parameter] : unique_parameters(model_)) {
    EXPECT_TRUE(!parameter.grad().defined() || !parameter.grad().any().item<bool>()) << name;
  }
}

TEST_F(GradientPassTest, OtherErrorsPass) {
  int calls = 0;
  const auto wrong = [&](const Batch&) -> LossSums {
    ++calls;
    throw std::invalid_argument("wrong");
  };
  GradientPass pass(wrong, unique_parameters(model_), c10::kCPU);
  EXPECT_THROW(pass.run(batches_), std::invalid_argument);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace translate::trainer
