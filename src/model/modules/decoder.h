#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <vector>

#include "config/options.h"
#include "model/modules/dropout.h"
#include "model/modules/feed_forward_block.h"
#include "model/modules/masks.h"
#include "model/modules/multi_head_attention_block.h"
#include "model/modules/residual_connection.h"

namespace translate {

/// What decoding keeps between steps: per decoder layer the keys and values of the target so far (self-attention) and
/// of the encoder's output (cross attention, computed once).
class KeyValueCache {
 public:
  /// `cross`: one per decoder layer; `source_mask`: (batch, 1, 1, S).
  KeyValueCache(std::vector<KeyValue> cross, at::Tensor source_mask);

  /// Appends one position's keys and values (batch, heads, 1, d_k) of `layer`, and returns all so far
  /// (batch, heads, length + 1, d_k). The buffers grow by doubling.
  KeyValue append(std::size_t layer, const KeyValue& step);

  /// Ends a step: the length grows by one.
  void advance() { ++length_; }

  /// Keeps the rows `rows` (int64) of the batch, in that order.
  void select(const at::Tensor& rows);

  [[nodiscard]] const KeyValue& cross(std::size_t layer) const { return cross_[layer]; }
  [[nodiscard]] const at::Tensor& source_mask() const { return source_mask_; }
  /// Target positions so far.
  [[nodiscard]] std::int64_t length() const { return length_; }

 private:
  std::vector<KeyValue> cross_;
  std::vector<KeyValue> self_;  ///< capacity may exceed length
  at::Tensor source_mask_;
  std::int64_t length_ = 0;
};

/// One decoder layer: masked self-attention, cross attention (queries from the decoder, keys and values from the
/// encoder's output) and feed-forward, each in a residual connection.
class DecoderBlockImpl : public torch::nn::Module {
 public:
  explicit DecoderBlockImpl(const ModelOptions& options);

  /// x: (batch, T, d_model), encoder_output: (batch, S, d_model), or unpadded as the patterns are -> as x. `crossing`:
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
