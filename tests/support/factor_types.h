#pragma once

#include <ATen/ATen.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/matrix/matrix_rows.h"
#include "kernels/matrix/packed_matrix.h"

namespace translate::testing {

inline constexpr std::array kFactorTypes = {FactorType::kFloat, FactorType::kBfloat16};

/// `x` rounded to the type, in double precision.
inline at::Tensor rounded_to(FactorType type, const at::Tensor& x) {
  return (type == FactorType::kBfloat16 ? x.to(at::kBFloat16) : x).to(at::kDouble);
}

/// A value of a packed factor; in bf16 of an odd depth there is a row more, which fills the last terms.
inline float value_at(const PackedMatrix& packed, std::int64_t row, std::int64_t column) {
  const auto block = row / kDepthBlock * kDepthBlock;
  const auto rows_a_term = packed.type() == FactorType::kBfloat16 ? 2 : 1;
  const float* term = packed.panel(block, column / kPanelWidth * kPanelWidth) + column % kPanelWidth +
                      (row - block) / rows_a_term * kPanelWidth;
  if (packed.type() == FactorType::kFloat) {
    return *term;
  }
  c10::BFloat16 pair[2];
  std::memcpy(pair, term, sizeof pair);
  return static_cast<float>(pair[row % 2]);
}

}  // namespace translate::testing
