#pragma once

#include <ATen/ATen.h>

#include "kernels/matrix/matrix_rows.h"

namespace translate {

/// The rows of a contiguous tensor (rows, columns), to read.
inline ConstRows rows_of(const at::Tensor& x) { return {x.const_data_ptr<float>(), x.size(1)}; }
/// And to write.
inline Rows output_rows(const at::Tensor& x) { return {x.mutable_data_ptr<float>(), x.size(1)}; }

}  // namespace translate
