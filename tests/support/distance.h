#pragma once

#include <ATen/ATen.h>

namespace translate::testing {

/// ||a - b|| / ||b||, in double precision; ||a - b|| if b is zero but for rounding.
[[nodiscard]] inline double relative_distance(const at::Tensor& a, const at::Tensor& b) {
  constexpr double kZero = 1e-12;
  const auto difference = (a.to(at::kDouble) - b.to(at::kDouble)).norm().item<double>();
  const auto size = b.to(at::kDouble).norm().item<double>();
  return size > kZero ? difference / size : difference;
}

}  // namespace translate::testing
