#include "translate/model/multi_head_attention_block.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <optional>

namespace translate {

at::Tensor attention_weights(const at::Tensor& query, const at::Tensor& key, const at::Tensor& mask) {
  const auto scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  auto scores = at::matmul(query, key.transpose(-2, -1)) * scale;  // (batch, heads, T, S)
  if (mask.defined()) {
    scores = scores.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
  }
  return at::_safe_softmax(scores, /*dim=*/-1);  // rows with nothing to attend to: zeros, not NaN
}

MultiHeadAttentionBlockImpl::MultiHeadAttentionBlockImpl(const ModelOptions& options) : num_heads_(options.num_heads) {
  const auto square = torch::nn::LinearOptions(options.d_model, options.d_model).bias(options.attention_bias);
  w_q = register_module("w_q", torch::nn::Linear(square));
  w_k = register_module("w_k", torch::nn::Linear(square));
  w_v = register_module("w_v", torch::nn::Linear(square));
  w_o = register_module("w_o", torch::nn::Linear(square));
  dropout = register_module("dropout", Dropout(options.attention_dropout.value_or(options.dropout)));
}

at::Tensor MultiHeadAttentionBlockImpl::split_heads(const at::Tensor& x) const {
  // (batch, length, d_model) -> (batch, length, heads, d_k) -> (batch, heads, length, d_k)
  return x.view({x.size(0), x.size(1), num_heads_, x.size(2) / num_heads_}).transpose(1, 2);
}

at::Tensor MultiHeadAttentionBlockImpl::join_heads(const at::Tensor& x) {
  // (batch, heads, length, d_k) -> (batch, length, heads, d_k) -> (batch, length, d_model)
  return x.transpose(1, 2).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)});
}

KeyValue MultiHeadAttentionBlockImpl::project_key_value(const at::Tensor& key, const at::Tensor& value) {
  return {.key = split_heads(w_k(key)), .value = split_heads(w_v(value))};
}

at::Tensor MultiHeadAttentionBlockImpl::attend(const at::Tensor& query, const KeyValue& key_value,
                                               const at::Tensor& mask) {
  const auto heads = split_heads(w_q(query));  // (batch, heads, T, d_k)
  if (dropout->is_active()) {
    // The fused attention has no fast path with dropout on the CPU.
    const auto weights = dropout(attention_weights(heads, key_value.key, mask));
    return w_o(join_heads(at::matmul(weights, key_value.value)));
  }
  const auto given_mask = mask.defined() ? std::make_optional(mask) : std::nullopt;
  return w_o(join_heads(at::scaled_dot_product_attention(heads, key_value.key, key_value.value, given_mask)));
}

at::Tensor MultiHeadAttentionBlockImpl::forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                                const at::Tensor& mask) {
  return attend(query, project_key_value(key, value), mask);  // (batch, T, d_model)
}

}  // namespace translate
