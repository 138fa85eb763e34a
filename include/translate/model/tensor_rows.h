#pragma once

#include <ATen/core/Tensor.h>

#include "translate/kernels/packed_matrix.h"

namespace translate {

/// The values of a contiguous tensor of floats; null where it is undefined.
[[nodiscard]] inline float* floats(const at::Tensor& x) { return x.defined() ? x.mutable_data_ptr<float>() : nullptr; }

/// A contiguous matrix of floats as the kernels read it.
[[nodiscard]] inline ConstRows rows_of(const at::Tensor& x) { return {x.const_data_ptr<float>(), x.size(1)}; }

}  // namespace translate
