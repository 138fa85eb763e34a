#include "modules/multi_head_attention_block.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "modules/execution_context.h"
#include "modules/linear_layers.h"
#include "modules/masks.h"

namespace translate::trainer {

at::Tensor attention_weights(const at::Tensor& query, const at::Tensor& key, const at::Tensor& mask,
                             const ExecutionContext& context) {
  const auto scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  auto scores = at::matmul(query, key.transpose(-2, -1));  // (batch, heads, T, S)
  context.observe("scores", scores);
  scores = scores * scale;
  context.observe("scaled", scores);
  if (mask.defined()) {
    scores = scores.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
    context.observe("masked", scores);
  }
  auto weights = at::_safe_softmax(scores, /*dim=*/-1);  // rows that may attend to nothing: zeros, not NaN
  context.observe("weights", weights);
  return weights;
}

at::Tensor library_attention(const at::Tensor& query, const KeyValue& key_value, const AttentionPattern& pattern,
                             double dropout) {
  const auto given_mask = pattern.mask.defined() ? std::make_optional(pattern.mask) : std::nullopt;
  return at::scaled_dot_product_attention(query, key_value.key, key_value.value, given_mask, dropout, pattern.causal);
}

at::Tensor attention(const at::Tensor& query, const KeyValue& key_value, const AttentionPattern& pattern,
                     Dropout dropout, const ExecutionContext& context) {
  const bool drops = dropout && dropout->is_active();
  // On the CPU, LibTorch's attention has no fast path with dropout, and its random generator is slow.
  if ((drops && query.is_cpu()) || context.is_observed()) {
    const auto mask = pattern.causal ? causal_mask(query.size(2), query.device()) : pattern.mask;
    const auto weights = attention_weights(query, key_value.key, mask, context);
    auto output = at::matmul(drops ? dropout(weights, /*sentences=*/nullptr, context) : weights, key_value.value);
    context.observe("heads", output);
    return output;
  }
  return library_attention(query, key_value, pattern, drops ? dropout->probability() : 0.0);
}

namespace {

constexpr std::int64_t kFirstCapacity = 16;  // positions

/// Returns a buffer for more positions, with the contents of `old` (batch, heads, length, d_k).
at::Tensor grown(const at::Tensor& old, std::int64_t capacity) {
  auto larger = at::empty({old.size(0), old.size(1), capacity, old.size(3)}, old.options());
  larger.narrow(/*dim=*/2, /*start=*/0, old.size(2)).copy_(old);
  return larger;
}

KeyValue selected(const KeyValue& all, const at::Tensor& rows) {
  return {.key = all.key.index_select(0, rows), .value = all.value.index_select(0, rows)};
}

}  // namespace

KeyValueCache::KeyValueCache(std::vector<KeyValue> cross, at::Tensor source_mask)
    : cross_(std::move(cross)), self_(cross_.size()), states_(cross_.size()), source_mask_(std::move(source_mask)) {}

KeyValue KeyValueCache::append(std::size_t layer, const KeyValue& step) {
  auto& kept = self_[layer];
  if (!kept.key.defined()) {
    kept = {.key = grown(step.key, kFirstCapacity), .value = grown(step.value, kFirstCapacity)};
  } else if (kept.key.size(2) == length_) {
    kept = {.key = grown(kept.key, 2 * length_), .value = grown(kept.value, 2 * length_)};
  }
  kept.key.narrow(2, length_, 1).copy_(step.key);
  kept.value.narrow(2, length_, 1).copy_(step.value);
  return {.key = kept.key.narrow(2, 0, length_ + 1), .value = kept.value.narrow(2, 0, length_ + 1)};
}

void KeyValueCache::select(const at::Tensor& rows) {
  for (auto& layer : cross_) {
    layer = selected(layer, rows);
  }
  for (auto& layer : self_) {
    if (layer.key.defined()) {
      layer = selected(layer, rows);
    }
  }
  for (auto& state : states_) {
    if (state.defined()) {
      state = state.index_select(0, rows);
    }
  }
  source_mask_ = source_mask_.index_select(0, rows);
}

MultiHeadAttentionBlockImpl::MultiHeadAttentionBlockImpl(const ModelOptions& options,
                                                         const AttentionParameters& parameters)
    : num_heads_(options.num_heads) {
  w_q = register_module(parameters.w_q.module, linear_layer(parameters.w_q));
  w_k = register_module(parameters.w_k.module, linear_layer(parameters.w_k));
  w_v = register_module(parameters.w_v.module, linear_layer(parameters.w_v));
  w_o = register_module(parameters.w_o.module, linear_layer(parameters.w_o));
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
                                               const AttentionPattern& pattern, const ExecutionContext& context) {
  const auto heads = split_heads(w_q(query));  // (batch, heads, T, d_k)
  context.observe("query", heads);
  context.observe("key", key_value.key);
  context.observe("value", key_value.value);
  const auto joined = join_heads(attention(heads, key_value, pattern, dropout, context));
  context.observe("joined", joined);
  auto output = w_o(joined);
  context.observe("output", output);
  return output;
}

at::Tensor MultiHeadAttentionBlockImpl::forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                                const AttentionPattern& pattern, const ExecutionContext& context) {
  return attend(query, project_key_value(key, value), pattern, context);  // (batch, T, d_model)
}

}  // namespace translate::trainer
