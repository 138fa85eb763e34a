#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "translate/kernels/cpu_features.h"
#include "translate/kernels/factor_type.h"

namespace translate::testing {

/// The types of factors whose kernels run on this processor.
inline std::vector<FactorType> factor_types() {
  std::vector<FactorType> types;
  if (has_vector_kernels()) {
    types.push_back(FactorType::kFloat);
  }
  if (has_bf16_kernels()) {
    types.push_back(FactorType::kBfloat16);
  }
  return types;
}

/// `x` rounded to the type, in double precision.
inline at::Tensor rounded_to(FactorType type, const at::Tensor& x) {
  return (type == FactorType::kBfloat16 ? x.to(at::kBFloat16) : x).to(at::kDouble);
}

}  // namespace translate::testing
