#pragma once

#include <ATen/core/Tensor.h>

#include "translate/model/feed_forward_block.h"
#include "translate/model/packed_sentences.h"
#include "translate/model/residual_connection.h"

namespace translate {

/// residual(x, feed_forward) in one operation, forward and backward: (rows of `sentences`, d_model) -> the same. Only
/// where fused_kernels_apply(x) and the block's activation is ReLU. Draws the block's dropout masks in the order of the
/// plain operators.
[[nodiscard]] at::Tensor fused_feed_forward(const ResidualConnection& residual, const FeedForwardBlock& block,
                                            const at::Tensor& x, const PackedSentencesPointer& sentences);

}  // namespace translate
