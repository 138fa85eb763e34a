#pragma once

#include <ATen/core/Tensor.h>

#include "model/modules/feed_forward_block.h"
#include "model/modules/masks.h"
#include "model/modules/residual_connection.h"

namespace translate {

/// residual(x, feed_forward) in one operation, forward and backward: (rows of `sentences`, d_model) -> the same. Only
/// where fused_kernels_apply(x) and the block's activation is ReLU. Draws the block's dropout masks in the order of the
/// plain operators.
[[nodiscard]] at::Tensor fused_feed_forward(const ResidualConnection& residual, const FeedForwardBlock& block,
                                            const at::Tensor& x, const UnpaddedSentencesPointer& sentences);

}  // namespace translate
