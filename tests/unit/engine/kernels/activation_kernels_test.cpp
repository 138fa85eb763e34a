#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/row_kernels.h"

namespace translate {
namespace {

using Kernel = void (*)(float*, std::int64_t);

/// Values from -30 to 30, thick around zero.
at::Tensor some_values() {
  const auto line = at::linspace(-30, 30, 4001, at::kDouble);
  return at::cat({line, line * 0.1, line * 1e-4, at::tensor({0.0, -0.0, -100.0, 100.0}, at::kDouble)}).to(at::kFloat);
}

at::Tensor applied(Kernel kernel, const at::Tensor& x) {
  auto values = x.clone();
  kernel(values.mutable_data_ptr<float>(), values.numel());
  return values;
}

/// The largest difference, as a share of |x|.
double error(const at::Tensor& found, const at::Tensor& expected, const at::Tensor& x) {
  return ((found.to(at::kDouble) - expected).abs() / x.to(at::kDouble).abs().clamp_min(1e-30)).max().item<double>();
}

TEST(ActivationKernels, AreTheirDefinitions) {
  const auto x = some_values();
  const auto exact = x.to(at::kDouble);
  EXPECT_LT(error(applied(apply_gelu, x), at::gelu(exact), x), 3e-7);
  EXPECT_LT(error(applied(apply_silu, x), at::silu(exact), x), 3e-7);
}

TEST(ActivationKernels, GiveAValueTheSameWhereverItStands) {
  const auto x = some_values();
  for (const Kernel kernel : {Kernel{apply_gelu}, Kernel{apply_silu}}) {
    const auto together = applied(kernel, x);
    for (const std::int64_t i : {0, 1, 7, 2000, 6001, 9000}) {
      EXPECT_TRUE(at::equal(applied(kernel, x.slice(0, i)), together.slice(0, i)));
      EXPECT_TRUE(at::equal(applied(kernel, x.slice(0, i, i + 1)), together.slice(0, i, i + 1)));
    }
  }
}

TEST(ActivationKernels, KeepNaN) {
  const auto x = at::full({20}, std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(applied(apply_gelu, x).isnan().all().item<bool>());
  EXPECT_TRUE(applied(apply_silu, x).isnan().all().item<bool>());
}

}  // namespace
}  // namespace translate
