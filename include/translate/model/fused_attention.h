#pragma once

#include <ATen/core/Tensor.h>

#include "translate/model/attention_pattern.h"
#include "translate/model/multi_head_attention_block.h"
#include "translate/model/residual_connection.h"

namespace translate {

/// residual(x, attention) in one operation, forward and backward: x (rows of the pattern's queries, d_model) -> the
/// same. The block attends to `memory` (rows of its keys, d_model), or, where that is undefined, to what it reads of x
/// itself. The pattern must be packed, and fused_kernels_apply(x). Draws the block's dropout masks in the order of the
/// plain operators.
[[nodiscard]] at::Tensor fused_attention(const ResidualConnection& residual, const MultiHeadAttentionBlock& block,
                                         const at::Tensor& x, const at::Tensor& memory,
                                         const AttentionPattern& pattern);

}  // namespace translate
