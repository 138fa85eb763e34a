#pragma once

#include <ATen/core/Tensor.h>

#include "modules/feed_forward_block.h"
#include "modules/residual_connection.h"
#include "tensors/unpadded_layout.h"

namespace translate::trainer {

/// residual(x, feed_forward) in one operation, forward and backward: (rows of `sentences`, d_model) -> the same shape.
/// Requires x in single precision on a CPU. `factor_type`: the type to which the
/// factors of the matrix products are rounded. Draws the block's dropout masks in the same order as the plain
/// operators.
[[nodiscard]] at::Tensor fused_feed_forward(const ResidualConnectionImpl& residual, const FeedForwardBlock& block,
                                            const at::Tensor& x, const UnpaddedLayoutPointer& sentences,
                                            FactorType factor_type);

}  // namespace translate::trainer
