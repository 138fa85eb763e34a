#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "config/options.h"
#include "model/parameters.h"
#include "modules/dropout.h"
#include "modules/execution_context.h"
#include "modules/feed_forward_block.h"
#include "modules/masks.h"
#include "modules/multi_head_attention_block.h"
#include "modules/residual_connection.h"

namespace translate::trainer {

/// One encoder layer: self-attention and feed-forward, each in a residual connection.
class EncoderBlockImpl : public torch::nn::Module {
 public:
  EncoderBlockImpl(const ModelOptions& options, const LayerParameters& parameters);

  /// x: (batch, S, d_model), or unpadded as the pattern is -> the same shape.
  at::Tensor forward(const at::Tensor& x, const AttentionPattern& pattern, const ExecutionContext& context = {});

  MultiHeadAttentionBlock self_attention_block{nullptr};
  FeedForwardBlock feed_forward_block{nullptr};

 private:
  std::vector<ResidualConnection> residual_connections_;  ///< registered as residual_connections.0-1
};
TORCH_MODULE(EncoderBlock);

/// The stack of encoder layers, with a final norm if the norms are pre-norm. In training, layers may be dropped.
class EncoderImpl : public torch::nn::Module {
 public:
  EncoderImpl(const ModelOptions& options, const StackParameters& parameters);

  /// x: (batch, S, d_model), or unpadded as the pattern is -> the same shape.
  at::Tensor forward(at::Tensor x, const AttentionPattern& pattern, const ExecutionContext& context = {});

 private:
  std::vector<EncoderBlock> layers_;  ///< registered as layers.N
  LayerNormalization norm_{nullptr};  ///< pre-norm only
  LayerDrop layer_drop_;
};
TORCH_MODULE(Encoder);

}  // namespace translate::trainer
