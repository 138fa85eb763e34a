#include "model/modules/encoder.h"

#include "model/fused/sublayers.h"
#include "model/modules/stage_observer.h"

namespace translate {

EncoderBlockImpl::EncoderBlockImpl(const ModelOptions& options) {
  self_attention_block = register_module("self_attention_block", MultiHeadAttentionBlock(options));
  feed_forward_block = register_module("feed_forward_block", FeedForwardBlock(options));
  torch::nn::ModuleList connections;
  for (int i = 0; i < 2; ++i) {
    residual_connections_.emplace_back(options, i);
    connections->push_back(residual_connections_.back());
  }
  register_module("residual_connections", connections);
}

at::Tensor EncoderBlockImpl::forward(const at::Tensor& x, const AttentionPattern& pattern) {
  const auto attended = attention_sublayer(residual_connections_[0], self_attention_block, "self_attention_block",
                                           {.x = x, .memory = {}, .pattern = pattern});
  return feed_forward_sublayer(residual_connections_[1], feed_forward_block, attended, pattern.queries);
}

EncoderImpl::EncoderImpl(const ModelOptions& options) : layer_drop_(options.layer_drop) {
  torch::nn::ModuleList layers;
  for (std::int64_t i = 0; i < options.encoder_layers; ++i) {
    layers_.emplace_back(options);
    layers->push_back(layers_.back());
  }
  register_module("layers", layers);
  if (options.norm == NormPlacement::kPre) {
    norm_ = register_module("norm", LayerNormalization(options));
  }
}

at::Tensor EncoderImpl::forward(at::Tensor x, const AttentionPattern& pattern) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layer_drop_.skips(is_training())) {
      continue;
    }
    const StageScope scope("layers", static_cast<std::int64_t>(i));
    x = layers_[i](x, pattern);
  }
  x = norm_ ? norm_(x) : x;
  observe_stage("output", x);
  return x;
}

}  // namespace translate
