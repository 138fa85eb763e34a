#pragma once

#include <ATen/core/Tensor.h>

#include "modules/masks.h"
#include "modules/multi_head_attention_block.h"
#include "modules/residual_connection.h"

namespace translate::trainer {

/// residual(x, attention) in one operation, forward and backward: x (rows of the pattern's queries, d_model) -> the
/// same shape. The block attends to `memory` (rows of its keys, d_model), or, if that is undefined, to its own input.
/// The pattern must be unpadded, and x in single precision on a CPU. `factor_type`: the type to which the factors of
/// the matrix products are rounded. Draws the block's dropout masks in the same order as the plain operators.
[[nodiscard]] at::Tensor fused_attention(const ResidualConnectionImpl& residual, const MultiHeadAttentionBlock& block,
                                         const at::Tensor& x, const at::Tensor& memory, const AttentionPattern& pattern,
                                         FactorType factor_type);

}  // namespace translate::trainer
