#pragma once

#include <ATen/core/Tensor.h>

#include "model/modules/feed_forward_block.h"
#include "model/modules/masks.h"
#include "model/modules/multi_head_attention_block.h"
#include "model/modules/residual_connection.h"

namespace translate {

/// What an attention sub-layer reads: padded sentences (batch, length, d_model) or packed ones (N, d_model).
struct AttentionSublayerInput {
  at::Tensor x;
  at::Tensor memory;  ///< undefined: the block attends to x itself
  AttentionPattern pattern;
};

/// An attention block with its residual connection, x -> the same shape: of packed sentences by the fused kernels, of
/// padded ones by LibTorch's operators. `name`: the block's, for the stages of the walk through a model.
[[nodiscard]] at::Tensor attention_sublayer(ResidualConnection& residual, MultiHeadAttentionBlock& block,
                                            const char* name, const AttentionSublayerInput& input);

/// Likewise a feed-forward block; x is packed where there are `sentences`. Activations that the fused kernels do not
/// know go through LibTorch's operators even so, with padding for as long as that takes.
[[nodiscard]] at::Tensor feed_forward_sublayer(ResidualConnection& residual, FeedForwardBlock& block,
                                               const at::Tensor& x, const UnpaddedSentencesPointer& sentences);

}  // namespace translate
