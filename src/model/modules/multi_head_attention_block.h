#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "config/options.h"
#include "model/modules/dropout.h"
#include "model/modules/masks.h"

namespace translate {

/// Keys and values of one attention block, split into heads: each (batch, heads, length, d_k).
struct KeyValue {
  at::Tensor key;
  at::Tensor value;
};

/// softmax(Q K^T / sqrt(d_k)) with masked places exactly 0 (paper, equation 1): (batch, heads, query, key).
/// A row with every place masked is all zeros. `mask`: boolean, true = may attend, or undefined for no mask.
[[nodiscard]] at::Tensor attention_weights(const at::Tensor& query, const at::Tensor& key, const at::Tensor& mask);

/// Scaled dot-product attention by LibTorch: flash attention on a GPU in half precision where there is no mask, another
/// fused kernel where there is one. `dropout`: the probability with which weights are dropped.
[[nodiscard]] at::Tensor library_attention(const at::Tensor& query, const KeyValue& key_value,
                                           const AttentionPattern& pattern, double dropout);

/// Scaled dot-product attention, attention_weights times the values (paper, equation 1), by LibTorch's fused kernel
/// where nothing must be seen on the way, nor dropped on the CPU: query (batch, heads, T, d_k), keys and values (batch,
/// heads, S, ·) -> (batch, heads, T, ·). `dropout`, where given and active, acts on the weights. The pattern must not
/// be unpadded.
[[nodiscard]] at::Tensor attention(const at::Tensor& query, const KeyValue& key_value, const AttentionPattern& pattern,
                                   Dropout dropout = nullptr);

/// Multi-head attention (paper, section 3.2.2): project, split into heads of d_k = d_model / heads, attend, join, w_o.
class MultiHeadAttentionBlockImpl : public torch::nn::Module {
 public:
  explicit MultiHeadAttentionBlockImpl(const ModelOptions& options);

  /// query: (batch, T, d_model); key, value: (batch, S, d_model) -> (batch, T, d_model). The pattern must not
  /// be unpadded.
  at::Tensor forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const AttentionPattern& pattern);

  /// w_k and w_v of (batch, S, d_model), split into heads: what a cache keeps.
  KeyValue project_key_value(const at::Tensor& key, const at::Tensor& value);

  /// The rest of forward, with keys and values already projected.
  at::Tensor attend(const at::Tensor& query, const KeyValue& key_value, const AttentionPattern& pattern);

  /// (batch, length, d_model) -> (batch, heads, length, d_k).
  [[nodiscard]] at::Tensor split_heads(const at::Tensor& x) const;
  /// (batch, heads, length, d_k) -> (batch, length, d_model).
  [[nodiscard]] static at::Tensor join_heads(const at::Tensor& x);

  [[nodiscard]] std::int64_t num_heads() const { return num_heads_; }

  torch::nn::Linear w_q{nullptr};
  torch::nn::Linear w_k{nullptr};
  torch::nn::Linear w_v{nullptr};
  torch::nn::Linear w_o{nullptr};
  Dropout dropout{nullptr};  ///< on the attention weights

 private:
  std::int64_t num_heads_;
};
TORCH_MODULE(MultiHeadAttentionBlock);

}  // namespace translate
