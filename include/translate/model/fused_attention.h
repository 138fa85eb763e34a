#pragma once

#include <ATen/core/Tensor.h>

#include "translate/model/multi_head_attention_block.h"
#include "translate/model/residual_connection.h"

namespace translate {

/// residual(x, attention) in one operation, forward and backward: x (batch, T, d_model) -> the same. The block attends
/// to `memory` (batch, S, d_model), or, where that is undefined, to what it reads of x itself. `mask`: boolean, (batch
/// or 1, 1, T or 1, S), true = may attend, or undefined for no mask. Only where fused_kernels_apply(x). Draws the
/// block's dropout masks in the order of the plain operators.
[[nodiscard]] at::Tensor fused_attention(const ResidualConnection& residual, const MultiHeadAttentionBlock& block,
                                         const at::Tensor& x, const at::Tensor& memory, const at::Tensor& mask);

}  // namespace translate
