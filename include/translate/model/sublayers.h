#pragma once

#include <ATen/core/Tensor.h>

#include "translate/model/feed_forward_block.h"
#include "translate/model/multi_head_attention_block.h"
#include "translate/model/residual_connection.h"

namespace translate {

/// What an attention sub-layer reads.
struct AttentionSublayerInput {
  at::Tensor x;       ///< (batch, T, d_model)
  at::Tensor memory;  ///< (batch, S, d_model); undefined: the block attends to x itself
  at::Tensor mask;    ///< boolean, (batch or 1, 1, T or 1, S)
};

/// An attention block with its residual connection, (batch, T, d_model) -> the same: by the fused kernels where they
/// apply, otherwise by LibTorch's operators. `name`: the block's, for the stages of the walk through a model.
[[nodiscard]] at::Tensor attention_sublayer(ResidualConnection& residual, MultiHeadAttentionBlock& block,
                                            const char* name, const AttentionSublayerInput& input);

/// Likewise a feed-forward block.
[[nodiscard]] at::Tensor feed_forward_sublayer(ResidualConnection& residual, FeedForwardBlock& block,
                                               const at::Tensor& x);

}  // namespace translate
