// The whole model against PyTorch: outputs, losses, every gradient, ten Adam steps. Translating is held against it in
// tests/unit/engine/inference/golden_test.cpp.

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "fused/fused_sublayers.h"
#include "modules/execution_context.h"
#include "modules/masks.h"
#include "support/golden_case.h"
#include "training/loss/batch_loss.h"
#include "training/loss/loss.h"
#include "training/optimizer/optimizer.h"
#include "training/optimizer/schedule.h"

namespace translate::trainer {
namespace {

using testing::golden_cases;
using testing::GoldenCase;
using testing::relative_distance;

constexpr double kTolerance = 1e-5;
constexpr double kAdamTolerance = 1e-4;

bool is_key_bias(const std::string& name) { return name.ends_with("w_k.bias"); }

class GoldenModel : public ::testing::Test {
 protected:
  explicit GoldenModel(const std::string& name) : golden_(name) {}

  GoldenCase golden_;
  Transformer model_ = golden_.model();

  /// One sentence of a padded tensor of the case.
  [[nodiscard]] std::vector<std::int64_t> sentence(const char* name, std::int64_t row) const {
    const auto padded = golden_[name][row];
    const auto ids = padded.index({padded.ne(golden_.special_tokens().pad)}).contiguous();
    return {ids.const_data_ptr<std::int64_t>(), ids.const_data_ptr<std::int64_t>() + ids.numel()};
  }

  [[nodiscard]] Batch batch() const {
    std::vector<Example> examples;
    for (std::int64_t row = 0; row < golden_["label"].size(0); ++row) {
      examples.push_back({.index = row,
                          .encoder_input = sentence("encoder_input", row),
                          .decoder_input = sentence("decoder_input", row),
                          .label = sentence("label", row)});
    }
    return collate(examples);
  }

  /// Holds a tensor against PyTorch's; the largest distance of a test goes to its report (--gtest_output=json:FILE).
  void expect_close(const at::Tensor& ours, const at::Tensor& pytorchs, double tolerance, const std::string& what) {
    const auto distance = relative_distance(ours, pytorchs);
    EXPECT_LE(distance, tolerance) << what;
    largest_ = std::max(largest_, distance);
  }
  void TearDown() override { RecordProperty("largest_distance", fmt::format("{:.2e}", largest_)); }

  double largest_ = 0.0;

  [[nodiscard]] at::Tensor real(const char* ids) const { return golden_[ids].ne(golden_.special_tokens().pad); }
};

class Golden : public GoldenModel, public ::testing::WithParamInterface<std::string> {
 protected:
  Golden() : GoldenModel(GetParam()) {}
};

TEST_P(Golden, EncoderOutputAndLogits) {
  const at::NoGradGuard no_grad;
  const auto source = golden_["encoder_input"];
  const auto encoded = model_->encode(source, padding_mask(source, golden_.special_tokens().pad));
  expect_close(encoded.index({real("encoder_input")}), golden_["encoder_output"].index({real("encoder_input")}),
               kTolerance, "encoder output");
  const auto logits = model_(source, golden_["decoder_input"]);
  expect_close(logits.index({real("label")}), golden_["logits"].index({real("label")}), kTolerance, "logits");
}

/// Training on every implementation of the sub-layers.
class GoldenTraining : public GoldenModel, public ::testing::WithParamInterface<std::tuple<std::string, bool>> {
 protected:
  GoldenTraining() : GoldenModel(std::get<0>(GetParam())) {}

  ExecutionContext context_ = training_context(c10::kCPU, Precision::kFp32, /*fused_kernels=*/std::get<1>(GetParam()));
};

TEST_P(GoldenTraining, LossesAndEveryGradient) {
  const auto one_batch = batch();
  ASSERT_EQ(one_batch.target_tokens(), golden_["label_count"].item<std::int64_t>());
  const auto sums = batch_loss(model_, one_batch, {.smoothing = golden_.label_smoothing()}, context_);
  expect_close(sums.plain, golden_["loss_sum"], kTolerance, "loss");
  expect_close(sums.smoothed, golden_["smoothed_loss_sum"], kTolerance, "smoothed loss");
  (sums.minimised / static_cast<double>(one_batch.target_tokens())).backward();
  const auto gradients = golden_.all("gradient");
  EXPECT_EQ(gradients.size(), unique_parameters(model_).size());
  for (const auto& [name, parameter] : unique_parameters(model_)) {
    ASSERT_TRUE(parameter.grad().defined()) << name;
    if (is_key_bias(name)) {
      EXPECT_LT(parameter.grad().abs().max().item<double>(), 1e-6) << name;
    } else {
      expect_close(parameter.grad(), golden_["gradient." + name], kTolerance, name);
    }
  }
}

TEST_P(GoldenTraining, TenAdamSteps) {
  const auto one_batch = batch();
  TrainingOptions training;
  training.warmup_steps = 4;
  Optimizer adam(unique_parameters(model_), training.optimizer);
  for (std::int64_t step = 1; step <= 10; ++step) {
    const auto loss = batch_loss(model_, one_batch, {.smoothing = golden_.label_smoothing()}, context_).minimised /
                      static_cast<double>(one_batch.target_tokens());
    expect_close(loss.detach(), golden_["adam_losses"][step - 1], kAdamTolerance, fmt::format("loss of step {}", step));
    loss.backward();
    adam.step(learning_rate_at(training, golden_.options().d_model, step));
    adam.clear_gradients();
  }
  for (const auto& [name, parameter] : unique_parameters(model_)) {
    if (!is_key_bias(name)) {
      expect_close(parameter.detach(), golden_["adam." + name], kAdamTolerance, name);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(golden_cases()),
                         [](const auto& instance) { return instance.param; });
INSTANTIATE_TEST_SUITE_P(Cases, GoldenTraining,
                         ::testing::Combine(::testing::ValuesIn(golden_cases()), ::testing::Bool()),
                         [](const auto& instance) {
                           const bool fused = std::get<1>(instance.param);
                           return std::get<0>(instance.param) + (fused ? "_fused" : "_operators");
                         });

}  // namespace
}  // namespace translate::trainer
