#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "translate/config/options.h"
#include "translate/model/attention_pattern.h"
#include "translate/model/feed_forward_block.h"
#include "translate/model/key_value_cache.h"
#include "translate/model/layer_drop.h"
#include "translate/model/multi_head_attention_block.h"
#include "translate/model/residual_connection.h"

namespace translate {

/// One decoder layer: masked self-attention, cross attention (queries from the decoder, keys and values from the
/// encoder's output) and feed-forward, each in a residual connection.
class DecoderBlockImpl : public torch::nn::Module {
 public:
  explicit DecoderBlockImpl(const ModelOptions& options);

  /// x: (batch, T, d_model), encoder_output: (batch, S, d_model), or packed as the patterns are -> as x. `crossing`:
  /// which source positions the targets see; `own`: which target positions.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& encoder_output, const AttentionPattern& crossing,
                     const AttentionPattern& own);

  /// The same for one new position x: (batch, 1, d_model), the earlier ones being in `cache`.
  at::Tensor step(const at::Tensor& x, KeyValueCache& cache, std::size_t layer);

  MultiHeadAttentionBlock self_attention_block{nullptr};
  MultiHeadAttentionBlock cross_attention_block{nullptr};
  FeedForwardBlock feed_forward_block{nullptr};

 private:
  std::vector<ResidualConnection> residual_connections_;  ///< registered as residual_connections.0-2
};
TORCH_MODULE(DecoderBlock);

/// The stack of decoder layers, with a last norm where norms come first (pre-norm). In training, layers may be dropped.
class DecoderImpl : public torch::nn::Module {
 public:
  explicit DecoderImpl(const ModelOptions& options);

  /// Shapes as in DecoderBlock.
  at::Tensor forward(at::Tensor x, const at::Tensor& encoder_output, const AttentionPattern& crossing,
                     const AttentionPattern& own);

  /// A cache with the keys and values of encoder_output (batch, S, d_model) in every layer.
  KeyValueCache start_cache(const at::Tensor& encoder_output, const at::Tensor& src_mask);

  /// One new position x: (batch, 1, d_model) -> (batch, 1, d_model); the cache grows by it.
  at::Tensor step(at::Tensor x, KeyValueCache& cache);

 private:
  std::vector<DecoderBlock> layers_;  ///< registered as layers.N
  LayerNormalization norm_{nullptr};  ///< pre-norm alone
  LayerDrop layer_drop_;
};
TORCH_MODULE(Decoder);

}  // namespace translate
