#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <vector>

#include "config/options.h"
#include "model/parameters.h"
#include "modules/dropout.h"
#include "modules/execution_context.h"
#include "modules/feed_forward_block.h"
#include "modules/masks.h"
#include "modules/multi_head_attention_block.h"
#include "modules/recurrent_unit.h"
#include "modules/residual_connection.h"

namespace translate::trainer {

/// One decoder layer: masked self-attention, or a recurrent unit in its place (DecoderKind), cross attention (queries
/// from the decoder, keys and values from the encoder's output) and feed-forward, each in a residual connection.
class DecoderBlockImpl : public torch::nn::Module {
 public:
  DecoderBlockImpl(const ModelOptions& options, const LayerParameters& parameters);

  /// x: (batch, T, d_model), encoder_output: (batch, S, d_model), or unpadded as the patterns are -> shape of x.
  /// `cross_pattern`: which source positions the queries see; `self_pattern`: which target positions they see.
  /// `stored`, if given: where the input of the cross attention is stored.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& encoder_output, const AttentionPattern& cross_pattern,
                     const AttentionPattern& self_pattern, const ExecutionContext& context = {},
                     CrossAttentionInput* stored = nullptr);

  /// The same for one new position x: (batch, 1, d_model); the earlier ones are in `cache`.
  at::Tensor step(const at::Tensor& x, KeyValueCache& cache, std::size_t layer, const ExecutionContext& context = {});

  MultiHeadAttentionBlock self_attention_block{nullptr};  ///< empty if there is a recurrent unit
  RecurrentUnit recurrent_unit{nullptr};
  MultiHeadAttentionBlock cross_attention_block{nullptr};
  FeedForwardBlock feed_forward_block{nullptr};

 private:
  /// Runs the layer: over all positions, or for a new position with a cache. `within_target`: its self-attention, or
  /// the recurrent unit.
  template <typename WithinTarget, typename CrossAttention>
  at::Tensor through(const at::Tensor& x, const WithinTarget& within_target, const CrossAttention& cross_attention,
                     const UnpaddedLayoutPointer& sentences, const ExecutionContext& context);

  DecoderKind kind_;
  std::vector<ResidualConnection> residual_connections_;  ///< registered as residual_connections.0-2
};
TORCH_MODULE(DecoderBlock);

/// The stack of decoder layers, with a final norm if the norms are pre-norm. In training, layers may be dropped.
class DecoderImpl : public torch::nn::Module {
 public:
  DecoderImpl(const ModelOptions& options, const StackParameters& parameters);

  /// Shapes as in DecoderBlock.
  at::Tensor forward(at::Tensor x, const at::Tensor& encoder_output, const AttentionPattern& cross_pattern,
                     const AttentionPattern& self_pattern, const ExecutionContext& context = {});

  /// The cross attention of a layer, from 0.
  [[nodiscard]] const MultiHeadAttentionBlock& cross_attention(std::int64_t layer) const {
    return layers_[static_cast<std::size_t>(layer)]->cross_attention_block;
  }

  /// Returns a cache with the keys and values of encoder_output (batch, S, d_model) in every layer.
  KeyValueCache start_cache(const at::Tensor& encoder_output, const at::Tensor& src_mask);

  /// One new position x: (batch, 1, d_model) -> (batch, 1, d_model). The cache grows by one position.
  at::Tensor step(at::Tensor x, KeyValueCache& cache, const ExecutionContext& context = {});

 private:
  std::vector<DecoderBlock> layers_;  ///< registered as layers.N
  LayerNormalization norm_{nullptr};  ///< pre-norm only
  LayerDrop layer_drop_;
};
TORCH_MODULE(Decoder);

}  // namespace translate::trainer
