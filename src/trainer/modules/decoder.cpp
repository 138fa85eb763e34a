#include "modules/decoder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/sublayers.h"
#include "modules/sublayers.h"

namespace translate::trainer {

DecoderBlockImpl::DecoderBlockImpl(const ModelOptions& options, const LayerParameters& parameters)
    : kind_(options.decoder) {
  const auto& cross_attention = parameters.cross_attention_block.value();
  const auto& feed_forward = parameters.feed_forward_block;
  if (const auto& unit = parameters.recurrent_unit) {
    recurrent_unit = register_module(unit->module, RecurrentUnit(*unit));
  } else {
    const auto& self_attention = parameters.self_attention_block.value();
    self_attention_block = register_module(self_attention.module, MultiHeadAttentionBlock(options, self_attention));
  }
  cross_attention_block = register_module(cross_attention.module, MultiHeadAttentionBlock(options, cross_attention));
  feed_forward_block = register_module(feed_forward.module, FeedForwardBlock(options, feed_forward));
  torch::nn::ModuleList connections;
  for (const auto& norm : parameters.residual_connections) {
    residual_connections_.emplace_back(options, norm, std::ssize(residual_connections_));
    connections->push_back(residual_connections_.back());
  }
  register_module(kResidualConnectionsModule, connections);
}

template <typename WithinTarget, typename CrossAttention>
at::Tensor DecoderBlockImpl::through(const at::Tensor& x, const WithinTarget& within_target,
                                     const CrossAttention& cross_attention, const UnpaddedLayoutPointer& sentences,
                                     const ExecutionContext& context) {
  auto y = x;
  for_each_sublayer(
      decoder_sublayers(kind_), within_target, cross_attention, FeedForward{feed_forward_block, sentences},
      [&](std::size_t i, const auto& sublayer) { y = residual_connections_[i]->forward(y, sublayer, context); });
  return y;
}

at::Tensor DecoderBlockImpl::forward(const at::Tensor& x, const at::Tensor& encoder_output,
                                     const AttentionPattern& cross_pattern, const AttentionPattern& self_pattern,
                                     const ExecutionContext& context, CrossAttentionInput* stored) {
  const CrossAttention cross_attention{cross_attention_block, encoder_output, cross_pattern, stored};
  const auto& sentences = self_pattern.queries;
  return recurrent_unit
             ? through(x, Recurrence{recurrent_unit, sentences}, cross_attention, sentences, context)
             : through(x, SelfAttention{self_attention_block, self_pattern}, cross_attention, sentences, context);
}

at::Tensor DecoderBlockImpl::step(const at::Tensor& x, KeyValueCache& cache, std::size_t layer,
                                  const ExecutionContext& context) {
  const CachedCrossAttention cross_attention{cross_attention_block, cache, layer};
  return recurrent_unit ? through(x, CachedRecurrence{recurrent_unit, cache, layer}, cross_attention,
                                  /*sentences=*/nullptr, context)
                        : through(x, CachedSelfAttention{self_attention_block, cache, layer}, cross_attention,
                                  /*sentences=*/nullptr, context);
}

DecoderImpl::DecoderImpl(const ModelOptions& options, const StackParameters& parameters)
    : layer_drop_(options.layer_drop) {
  torch::nn::ModuleList layers;
  for (const auto& layer : parameters.layers) {
    layers_.emplace_back(options, layer);
    layers->push_back(layers_.back());
  }
  register_module(kLayersModule, layers);
  if (parameters.norm) {
    norm_ = register_module(parameters.norm->module, LayerNormalization(options, *parameters.norm));
  }
}

at::Tensor DecoderImpl::forward(at::Tensor x, const at::Tensor& encoder_output, const AttentionPattern& cross_pattern,
                                const AttentionPattern& self_pattern, const ExecutionContext& context) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layer_drop_.skips(is_training())) {
      continue;
    }
    x = layers_[i](x, encoder_output, cross_pattern, self_pattern,
                   context.within("layers", static_cast<std::int64_t>(i)), context.stored_input(i));
  }
  x = norm_ ? norm_(x) : x;
  context.observe("output", x);
  return x;
}

KeyValueCache DecoderImpl::start_cache(const at::Tensor& encoder_output, const at::Tensor& src_mask) {
  std::vector<KeyValue> cross;
  for (auto& layer : layers_) {
    cross.push_back(layer->cross_attention_block->project_key_value(encoder_output, encoder_output));
  }
  return {std::move(cross), src_mask};
}

at::Tensor DecoderImpl::step(at::Tensor x, KeyValueCache& cache, const ExecutionContext& context) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = layers_[i]->step(x, cache, i, context.within("layers", static_cast<std::int64_t>(i)));
  }
  cache.advance();
  return norm_ ? norm_(x) : x;  // (batch, 1, d_model)
}

}  // namespace translate::trainer
