#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/options.h"
#include "model/parameters.h"
#include "modules/dropout.h"
#include "modules/execution_context.h"
#include "modules/masks.h"

namespace translate::trainer {

/// Keys and values of one attention block, split into heads: each (batch, heads, length, d_k).
struct KeyValue {
  at::Tensor key;
  at::Tensor value;
};

/// softmax(Q K^T / sqrt(d_k)) with masked places exactly 0 (paper, equation 1): (batch, heads, query, key). A row in
/// which every place is masked is all zeros. `mask`: boolean, true = may attend, or undefined for no mask.
[[nodiscard]] at::Tensor attention_weights(const at::Tensor& query, const at::Tensor& key, const at::Tensor& mask,
                                           const ExecutionContext& context = {});

/// Scaled dot-product attention by LibTorch: flash attention on a GPU in half precision if there is no mask, another
/// fused kernel if there is one. `dropout`: the probability of dropping a weight.
[[nodiscard]] at::Tensor library_attention(const at::Tensor& query, const KeyValue& key_value,
                                           const AttentionPattern& pattern, double dropout);

/// Scaled dot-product attention, attention_weights times the values (paper, equation 1): query (batch, heads, T, d_k),
/// keys and values (batch, heads, S, ·) -> (batch, heads, T, ·). Uses LibTorch's fused kernel if there is no observer
/// and nothing is dropped on the CPU. `dropout`, if given and active, acts on the weights. The pattern must not be
/// unpadded.
[[nodiscard]] at::Tensor attention(const at::Tensor& query, const KeyValue& key_value, const AttentionPattern& pattern,
                                   Dropout dropout = nullptr, const ExecutionContext& context = {});

/// The state that decoding keeps between steps: for each decoder layer the keys and values of the target so far
/// (self-attention), or the state of its recurrent unit, and those of the encoder's output (cross attention, computed
/// once).
class KeyValueCache {
 public:
  /// `cross`: one per decoder layer; `source_mask`: (batch, 1, 1, S).
  KeyValueCache(std::vector<KeyValue> cross, at::Tensor source_mask);

  /// Appends the keys and values of one position (batch, heads, 1, d_k) for `layer`, and returns all so far (batch,
  /// heads, length + 1, d_k). The buffers grow by doubling.
  KeyValue append(std::size_t layer, const KeyValue& step);

  /// The state of the recurrent unit of `layer`, (batch, 1, d_model); undefined before the first step.
  [[nodiscard]] at::Tensor& state(std::size_t layer) { return states_[layer]; }

  /// Ends a step: the length grows by one.
  void advance() { ++length_; }

  /// Keeps only the rows `rows` (int64) of the batch, in that order.
  void select(const at::Tensor& rows);

  [[nodiscard]] const KeyValue& cross(std::size_t layer) const { return cross_[layer]; }
  [[nodiscard]] const at::Tensor& source_mask() const { return source_mask_; }
  /// The number of target positions so far.
  [[nodiscard]] std::int64_t length() const { return length_; }

 private:
  std::vector<KeyValue> cross_;
  std::vector<KeyValue> self_;  ///< capacity may exceed length
  std::vector<at::Tensor> states_;
  at::Tensor source_mask_;
  std::int64_t length_ = 0;
};

/// Multi-head attention (paper, section 3.2.2): project, split into heads of d_k = d_model / heads, attend, join, w_o.
class MultiHeadAttentionBlockImpl : public torch::nn::Module {
 public:
  MultiHeadAttentionBlockImpl(const ModelOptions& options, const AttentionParameters& parameters);

  /// query: (batch, T, d_model); key, value: (batch, S, d_model) -> (batch, T, d_model). The pattern must not be
  /// unpadded.
  at::Tensor forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const AttentionPattern& pattern, const ExecutionContext& context = {});

  /// Applies w_k and w_v to (batch, S, d_model) and splits the results into heads, as a cache keeps them.
  KeyValue project_key_value(const at::Tensor& key, const at::Tensor& value);

  /// The rest of forward, for keys and values that are already projected.
  at::Tensor attend(const at::Tensor& query, const KeyValue& key_value, const AttentionPattern& pattern,
                    const ExecutionContext& context = {});

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

}  // namespace translate::trainer
