#include "fused/activation_unit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "support/distance.h"

namespace translate::trainer {
namespace {

at::Tensor activated(Activation activation, const at::Tensor& x) {
  switch (activation) {
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kSwish:
      return at::silu(x);
    case Activation::kRelu:
      break;
  }
  return at::relu(x);
}

TEST(ActivationUnit, IsActivationAndDropoutOfLibTorchForwardAndBackward) {
  at::manual_seed(4);
  constexpr std::array<std::int64_t, 2> kActivationLengths = {9, 14};
  const auto sentences = std::make_shared<UnpaddedLayout>(kActivationLengths, 14);
  const Chunk chunk{.rows = {5, 21}};  // some rows of both sentences
  constexpr std::int64_t kWidth = 13;
  for (const auto activation : {Activation::kRelu, Activation::kGelu, Activation::kSwish}) {
    for (const double probability : {0.0, 0.3}) {
      const DropoutMask dropout{.probability = probability, .key = 7};
      auto mask = at::ones({chunk.rows.count(), kWidth});
      sentences->drop(dropout, chunk.rows.begin, chunk.rows.count(), kWidth, mask.mutable_data_ptr<float>());
      const auto x = at::randn(mask.sizes()).requires_grad_();
      const auto gradient = at::randn(mask.sizes());
      const auto expected = activated(activation, x) * mask;
      expected.backward(gradient);

      const ActivationUnit unit(activation, dropout, sentences, kWidth);
      auto kept = x.detach().clone();
      auto scratch = at::empty_like(kept);
      auto x_gradient = gradient.clone();
      const auto values = [&](const float* data) { return at::from_blob(const_cast<float*>(data), mask.sizes()); };
      const float* forward = unit.forward(chunk, kept.mutable_data_ptr<float>(), scratch.mutable_data_ptr<float>());
      EXPECT_LT(testing::relative_distance(values(forward), expected.detach()), 1e-6);
      auto again = at::empty_like(kept);
      const float* backward = unit.backward(chunk, kept.const_data_ptr<float>(), x_gradient.mutable_data_ptr<float>(),
                                            again.mutable_data_ptr<float>());
      EXPECT_TRUE(at::equal(values(backward), values(forward)));
      EXPECT_LT(testing::relative_distance(x_gradient, x.grad()), 2e-6);
    }
  }
}

}  // namespace
}  // namespace translate::trainer
