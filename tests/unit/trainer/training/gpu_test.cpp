// What only a GPU can show. Without one these tests are skipped.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "core/error.h"
#include "data/batches/data_loader.h"
#include "tensors/device.h"
#include "training/loss/batch_loss.h"
#include "training/optimizer/optimizer.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      gpu_ = resolve_device("cuda");
    } catch (const RuntimeError& error) {
      GTEST_SKIP() << error.what();
    }
    sample_.emplace(sample_corpus(60));
    config_.model.d_model = 64;
    config_.model.encoder_layers = 2;
    config_.model.decoder_layers = 2;
    config_.model.num_heads = 2;
    config_.model.d_ff = 128;
    config_.model.dropout = 0.0;
    config_.training.batch_tokens = 200;
  }

  [[nodiscard]] EpochLoader load(const c10::Device& device) const {
    return {sample_->encoded, sample_->tokenizers, training_loader_options(config_, device), /*epoch=*/0};
  }

  /// Losses of some steps from the same start.
  [[nodiscard]] std::vector<double> train(const c10::Device& device, Precision precision) const {
    at::manual_seed(2);
    auto model = build_transformer(config_.model, vocabulary_sizes(sample_->tokenizers));
    model->to(device);
    Optimizer adam(unique_parameters(model), {});
    auto loader = load(device);
    std::vector<double> losses;
    while (losses.size() < 5) {
      const auto batch = loader.next();
      const auto sums = batch_loss(model, batch->to(device), {.smoothing = 0.1}, ExecutionContext(device, precision));
      (sums.minimised / static_cast<double>(batch->target_tokens())).backward();
      adam.step(1e-3, /*clip_norm=*/1.0, sums.plain);
      adam.clear_gradients();
      losses.push_back(sums.plain.item<double>() / static_cast<double>(batch->target_tokens()));
    }
    EXPECT_FALSE(adam.refused());
    return losses;
  }

  c10::Device gpu_ = c10::kCPU;
  std::optional<SampleCorpus> sample_;
  Config config_;
};

TEST_F(Gpu, TrainsAsTheCpuDoes) {
  const auto expected = train(c10::kCPU, Precision::kFp32);
  const auto single = train(gpu_, Precision::kFp32);
  const auto half = train(gpu_, Precision::kBf16);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(single[i], expected[i], 1e-3 * expected[i]) << i;
    EXPECT_NEAR(half[i], expected[i], 2e-2 * expected[i]) << i;
  }
}

TEST_F(Gpu, BatchesComeInPinnedMemoryAndArriveWhole) {
  auto pinned = load(gpu_);
  auto plain = load(c10::kCPU);
  while (const auto expected = plain.next()) {
    const auto batch = pinned.next();
    ASSERT_TRUE(batch);
    for (const auto& tensor :
         {batch->encoder_input.ids, batch->encoder_input.sentences->padded_indices(), batch->decoder_input.ids,
          batch->decoder_input.sentences->padded_indices(), batch->label}) {
      EXPECT_TRUE(tensor.is_pinned());
    }
    const auto moved = batch->to(gpu_);
    EXPECT_TRUE(moved.label.is_cuda());
    EXPECT_TRUE(at::equal(moved.encoder_input.padded(-1).cpu(), expected->encoder_input.padded(-1)));
    EXPECT_TRUE(at::equal(moved.decoder_input.padded(-1).cpu(), expected->decoder_input.padded(-1)));
    EXPECT_TRUE(at::equal(moved.label.cpu(), expected->label));
  }
}

TEST_F(Gpu, AnUpdateThatIsNotFiniteIsRefusedThereAndToldLater) {
  const auto weight = at::randn({3, 4}).to(gpu_).requires_grad_();
  Optimizer adam({{"weight", weight}}, {});
  const auto step = [&](double gradient) {
    at::Tensor(weight).mutable_grad() = at::full_like(weight.detach(), gradient);
    adam.step(0.01, /*clip_norm=*/1.0);
  };
  step(0.5);
  const auto before = weight.detach().clone();
  step(std::numeric_limits<double>::quiet_NaN());
  step(0.5);
  EXPECT_TRUE(at::equal(weight.detach(), before));
  ASSERT_TRUE(adam.refused());
  EXPECT_EQ(adam.refused()->number, 2);
  EXPECT_EQ(adam.refused()->gradient, "weight");
}

}  // namespace
}  // namespace translate::trainer
