#include "kernels/activation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace translate {
namespace {

/// Values from -30 to 30, thick around zero.
at::Tensor some_values() {
  const auto line = at::linspace(-30, 30, 4001, at::kDouble);
  return at::cat({line, line * 0.1, line * 1e-4, at::tensor({0.0, -0.0, -100.0, 100.0}, at::kDouble)}).to(at::kFloat);
}

at::Tensor applied(Activation activation, const at::Tensor& x) {
  auto values = x.clone();
  activate(activation, values.mutable_data_ptr<float>(), values.numel());
  return values;
}

/// The largest difference, as a share of |x|.
double error(const at::Tensor& found, const at::Tensor& expected, const at::Tensor& x) {
  return ((found.to(at::kDouble) - expected).abs() / x.to(at::kDouble).abs().clamp_min(1e-30)).max().item<double>();
}

TEST(Activation, AreTheirDefinitions) {
  const auto x = some_values();
  const auto exact = x.to(at::kDouble);
  EXPECT_LT(error(applied(Activation::kGelu, x), at::gelu(exact), x), 3e-7);
  EXPECT_LT(error(applied(Activation::kSwish, x), at::silu(exact), x), 3e-7);
}

TEST(Activation, GiveAValueTheSameWhereverItStands) {
  const auto x = some_values();
  for (const auto kernel : {Activation::kRelu, Activation::kGelu, Activation::kSwish}) {
    const auto together = applied(kernel, x);
    for (const std::int64_t i : {0, 1, 7, 2000, 6001, 9000}) {
      EXPECT_TRUE(at::equal(applied(kernel, x.slice(0, i)), together.slice(0, i)));
      EXPECT_TRUE(at::equal(applied(kernel, x.slice(0, i, i + 1)), together.slice(0, i, i + 1)));
    }
  }
}

TEST(Activation, KeepNaN) {
  const auto x = at::full({20}, std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(applied(Activation::kGelu, x).isnan().all().item<bool>());
  EXPECT_TRUE(applied(Activation::kSwish, x).isnan().all().item<bool>());
}

TEST(Activation, GradientsAreThoseOfAutograd) {
  const auto x = some_values();
  for (const auto activation : {Activation::kRelu, Activation::kGelu, Activation::kSwish}) {
    const auto exact = x.to(at::kDouble).requires_grad_();
    const auto values = activation == Activation::kRelu   ? at::relu(exact)
                        : activation == Activation::kGelu ? at::gelu(exact)
                                                          : at::silu(exact);
    values.sum().backward();
    auto gradients = at::full_like(x, 2.0F);
    activate_backward(activation, x.const_data_ptr<float>(), gradients.mutable_data_ptr<float>(), x.numel());
    EXPECT_LT((gradients.to(at::kDouble) - 2.0 * exact.grad()).abs().max().item<double>(), 3e-6);
  }
}

TEST(Activation, TheGradientOfReluFollowsFromItsOutputsAfterDropout) {
  auto x = at::tensor({-1.0F, 0.0F, 2.0F, -0.5F, 3.0F});
  auto gradients = at::full({5}, 4.0F);
  activate(Activation::kRelu, x.mutable_data_ptr<float>(), 5);
  EXPECT_TRUE(at::equal(x, at::tensor({0.0F, 0.0F, 2.0F, 0.0F, 3.0F})));
  rectify_backward(x.const_data_ptr<float>(), 1.5F, gradients.mutable_data_ptr<float>(), 5);
  EXPECT_TRUE(at::equal(gradients, at::tensor({0.0F, 0.0F, 6.0F, 0.0F, 6.0F})));
}

}  // namespace
}  // namespace translate
