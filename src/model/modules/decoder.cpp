#include "model/modules/decoder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "model/fused/sublayers.h"
#include "model/modules/stage_observer.h"

namespace translate {

namespace {

constexpr std::int64_t kFirstCapacity = 16;  // positions

/// A buffer for more positions, holding those of `old` (batch, heads, length, d_k).
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
    : cross_(std::move(cross)), self_(cross_.size()), source_mask_(std::move(source_mask)) {}

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
  source_mask_ = source_mask_.index_select(0, rows);
}

DecoderBlockImpl::DecoderBlockImpl(const ModelOptions& options) {
  self_attention_block = register_module("self_attention_block", MultiHeadAttentionBlock(options));
  cross_attention_block = register_module("cross_attention_block", MultiHeadAttentionBlock(options));
  feed_forward_block = register_module("feed_forward_block", FeedForwardBlock(options));
  torch::nn::ModuleList connections;
  for (int i = 0; i < 3; ++i) {
    residual_connections_.emplace_back(options, i);
    connections->push_back(residual_connections_.back());
  }
  register_module("residual_connections", connections);
}

at::Tensor DecoderBlockImpl::forward(const at::Tensor& x, const at::Tensor& encoder_output,
                                     const AttentionPattern& crossing, const AttentionPattern& own) {
  const auto attended = attention_sublayer(residual_connections_[0], self_attention_block, "self_attention_block",
                                           {.x = x, .memory = {}, .pattern = own});
  const auto crossed = attention_sublayer(residual_connections_[1], cross_attention_block, "cross_attention_block",
                                          {.x = attended, .memory = encoder_output, .pattern = crossing});
  return feed_forward_sublayer(residual_connections_[2], feed_forward_block, crossed, own.queries);
}

at::Tensor DecoderBlockImpl::step(const at::Tensor& x, KeyValueCache& cache, std::size_t layer) {
  const auto attended = residual_connections_[0]->forward(x, [&](const at::Tensor& y) {
    const StageScope scope("self_attention_block");
    // All cached positions are earlier ones, and finished rows have left the batch: nothing to mask.
    const auto so_far = cache.append(layer, self_attention_block->project_key_value(y, y));
    return self_attention_block->attend(y, so_far, /*mask=*/{});
  });
  const auto crossed = residual_connections_[1]->forward(attended, [&](const at::Tensor& y) {
    const StageScope scope("cross_attention_block");
    return cross_attention_block->attend(y, cache.cross(layer), cache.source_mask());
  });
  return residual_connections_[2]->forward(crossed, feed_forward_block);
}

DecoderImpl::DecoderImpl(const ModelOptions& options) : layer_drop_(options.layer_drop) {
  torch::nn::ModuleList layers;
  for (std::int64_t i = 0; i < options.decoder_layers; ++i) {
    layers_.emplace_back(options);
    layers->push_back(layers_.back());
  }
  register_module("layers", layers);
  if (options.norm == NormPlacement::kPre) {
    norm_ = register_module("norm", LayerNormalization(options));
  }
}

at::Tensor DecoderImpl::forward(at::Tensor x, const at::Tensor& encoder_output, const AttentionPattern& crossing,
                                const AttentionPattern& own) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layer_drop_.skips(is_training())) {
      continue;
    }
    const StageScope scope("layers", static_cast<std::int64_t>(i));
    x = layers_[i](x, encoder_output, crossing, own);
  }
  x = norm_ ? norm_(x) : x;
  observe_stage("output", x);
  return x;
}

KeyValueCache DecoderImpl::start_cache(const at::Tensor& encoder_output, const at::Tensor& src_mask) {
  std::vector<KeyValue> cross;
  for (auto& layer : layers_) {
    cross.push_back(layer->cross_attention_block->project_key_value(encoder_output, encoder_output));
  }
  return {std::move(cross), src_mask};
}

at::Tensor DecoderImpl::step(at::Tensor x, KeyValueCache& cache) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const StageScope scope("layers", static_cast<std::int64_t>(i));
    x = layers_[i]->step(x, cache, i);
  }
  cache.advance();
  return norm_ ? norm_(x) : x;  // (batch, 1, d_model)
}

}  // namespace translate
