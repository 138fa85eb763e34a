#include "model/modules/encoder.h"

#include "model/modules/sublayers.h"

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

at::Tensor EncoderBlockImpl::forward(const at::Tensor& x, const AttentionPattern& pattern,
                                     const ExecutionContext& context) {
  const auto attended = residual_connections_[0]->forward(x, SelfAttention{self_attention_block, pattern}, context);
  return residual_connections_[1]->forward(attended, FeedForward{feed_forward_block, pattern.queries}, context);
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

at::Tensor EncoderImpl::forward(at::Tensor x, const AttentionPattern& pattern, const ExecutionContext& context) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layer_drop_.skips(is_training())) {
      continue;
    }
    x = layers_[i](x, pattern, context.within("layers", static_cast<std::int64_t>(i)));
  }
  x = norm_ ? norm_(x) : x;
  context.observe("output", x);
  return x;
}

}  // namespace translate
