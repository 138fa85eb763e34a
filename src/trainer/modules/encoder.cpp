#include "modules/encoder.h"

#include <iterator>

#include "model/sublayers.h"
#include "modules/sublayers.h"

namespace translate::trainer {

EncoderBlockImpl::EncoderBlockImpl(const ModelOptions& options, const LayerParameters& parameters) {
  const auto& self_attention = parameters.self_attention_block.value();
  const auto& feed_forward = parameters.feed_forward_block;
  self_attention_block = register_module(self_attention.module, MultiHeadAttentionBlock(options, self_attention));
  feed_forward_block = register_module(feed_forward.module, FeedForwardBlock(options, feed_forward));
  torch::nn::ModuleList connections;
  for (const auto& norm : parameters.residual_connections) {
    residual_connections_.emplace_back(options, norm, std::ssize(residual_connections_));
    connections->push_back(residual_connections_.back());
  }
  register_module(kResidualConnectionsModule, connections);
}

at::Tensor EncoderBlockImpl::forward(const at::Tensor& x, const AttentionPattern& pattern,
                                     const ExecutionContext& context) {
  auto y = x;
  for_each_sublayer(kEncoderSublayers, SelfAttention{self_attention_block, pattern}, /*cross_attention=*/nullptr,
                    FeedForward{feed_forward_block, pattern.queries}, [&](std::size_t i, const auto& sublayer) {
                      y = residual_connections_[i]->forward(y, sublayer, context);
                    });
  return y;
}

EncoderImpl::EncoderImpl(const ModelOptions& options, const StackParameters& parameters)
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

}  // namespace translate::trainer
