#include "kernels/norm.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/distance.h"

namespace translate {
namespace {

float* floats(const at::Tensor& x) { return x.mutable_data_ptr<float>(); }

/// The definition, in any precision.
at::Tensor normalized(const at::Tensor& x, const at::Tensor& alpha, const at::Tensor& bias, double epsilon,
                      LayerNormKind kind) {
  if (kind == LayerNormKind::kRms) {
    return alpha * x / (x.square().mean() + epsilon).sqrt();
  }
  const auto centred = x - x.mean();
  const auto scale = kind == LayerNormKind::kReference ? x.std(/*unbiased=*/true) + epsilon
                                                       : (centred.square().mean() + epsilon).sqrt();
  return alpha * centred / scale + bias;
}

TEST(NormalizeRow, AgreesWithItsDefinitionForwardAndBackward) {
  at::manual_seed(2);
  for (const auto kind : {LayerNormKind::kTorch, LayerNormKind::kReference, LayerNormKind::kRms}) {
    for (const std::int64_t width : {2, 7, 64, 129}) {
      const auto x = at::randn({width}) * 3 + 1;
      const auto alpha = at::randn({width});
      const auto bias = at::randn({width});
      const auto gradient = at::randn({width});
      const auto leaf = [](const at::Tensor& t) { return t.to(at::kDouble).requires_grad_(); };
      const auto exact_x = leaf(x);
      const auto exact_alpha = leaf(alpha);
      const auto exact_bias = leaf(bias);
      const auto expected = normalized(exact_x, exact_alpha, exact_bias, 0.01, kind);
      (expected * gradient).sum().backward();

      const bool has_bias = kind != LayerNormKind::kRms;
      const RowNorm norm{kind, floats(alpha), has_bias ? floats(bias) : nullptr, width, 0.01F};
      const auto out = at::empty({width});
      const auto moments = normalize_row(norm, floats(x), floats(out));
      EXPECT_LT(testing::relative_distance(out, expected.detach()), 1e-6);
      const auto again = at::empty({width});
      normalize_row_again(norm, floats(x), moments, floats(again));
      EXPECT_TRUE(at::equal(again, out));
      const auto dx = at::ones({width});
      const auto dalpha = at::ones({width});
      const auto dbias = at::ones({width});
      normalize_row_backward(norm, floats(x), moments, floats(gradient), floats(dx), {floats(dalpha), floats(dbias)});
      EXPECT_LT(((dx - 1) - exact_x.grad()).norm().item<double>(), 1e-5 * (1 + exact_x.grad().norm().item<double>()));
      EXPECT_LT(testing::relative_distance(dalpha - 1, exact_alpha.grad()), 1e-6);
      if (has_bias) {
        EXPECT_LT(testing::relative_distance(dbias - 1, exact_bias.grad()), 1e-6);
      } else {
        EXPECT_TRUE(at::equal(dbias, at::ones({width})));
      }
    }
  }
}

TEST(NormalizeRow, ARowOfEqualValuesGivesTheBias) {
  const auto x = at::full({16}, 3.0F);
  const auto alpha = at::ones({16});
  const auto bias = at::arange(16, at::kFloat);
  for (const auto kind : {LayerNormKind::kTorch, LayerNormKind::kReference}) {
    const RowNorm norm{kind, floats(alpha), floats(bias), 16, 1e-6F};
    const auto out = at::empty({16});
    const auto moments = normalize_row(norm, floats(x), floats(out));
    EXPECT_TRUE(at::equal(out, bias));
    const auto dx = at::zeros({16});
    const auto gradient = at::ones({16});
    const auto sums = at::zeros({2, 16});
    normalize_row_backward(norm, floats(x), moments, floats(gradient), floats(dx), {floats(sums), floats(sums) + 16});
    EXPECT_TRUE(dx.isfinite().all().item<bool>());
  }
}

}  // namespace
}  // namespace translate
