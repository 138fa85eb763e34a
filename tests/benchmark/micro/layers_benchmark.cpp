// The blocks of a layer, forward and backward, on the 4,096 positions of a batch.

#include <span>

#include "micro/setting.h"
#include "model/parameters.h"
#include "modules/dropout.h"
#include "modules/feed_forward_block.h"
#include "modules/masks.h"
#include "modules/multi_head_attention_block.h"
#include "modules/residual_connection.h"

namespace translate::micro {
namespace {

constexpr std::int64_t kTokens = kSentences * kLength;

/// The parameters of one layer.
LayerParameters a_layer(const ModelOptions& options) {
  return describe_parameters(options, /*sizes=*/{}).encoder.layers.front();
}

void fill_mask(benchmark::State& state) {
  const auto options = model_options(state);
  auto mask = at::empty({kTokens, options.d_model});
  const std::span<float> values(mask.mutable_data_ptr<float>(), static_cast<std::size_t>(mask.numel()));
  std::uint64_t key = 1;
  for (auto _ : state) {
    fill_whole_mask({.probability = options.dropout, .key = key++}, values);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * mask.numel());
}
BENCHMARK(fill_mask)->Name("dropout_mask")->Apply(both_sizes);

void dropout(benchmark::State& state) {
  const auto options = model_options(state);
  const auto x = activations(options);
  trainer::Dropout module(options.dropout);
  forward_and_backward(state, *module, kTokens, [&] { return module(x); });
}
BENCHMARK(dropout)->Apply(all_models);

void layer_normalization(benchmark::State& state) {
  const auto options = model_options(state);
  const auto x = activations(options);
  trainer::LayerNormalization module(options, a_layer(options).residual_connections.front());
  forward_and_backward(state, *module, kTokens, [&] { return module(x); });
}
BENCHMARK(layer_normalization)->Apply(all_models);

void feed_forward(benchmark::State& state) {
  const auto options = model_options(state);
  const auto x = activations(options);
  trainer::FeedForwardBlock module(options, a_layer(options).feed_forward_block);
  forward_and_backward(state, *module, kTokens, [&] { return module(x); });
}
BENCHMARK(feed_forward)->Apply(all_models);

void self_attention(benchmark::State& state) {
  const auto options = model_options(state);
  const auto x = activations(options);
  const auto mask = trainer::padding_mask(random_batch().encoder_input.padded(/*padding=*/3), /*pad=*/3);
  trainer::MultiHeadAttentionBlock module(options, a_layer(options).self_attention_block.value());
  forward_and_backward(state, *module, kTokens, [&] { return module(x, x, x, mask); });
}
BENCHMARK(self_attention)->Apply(all_models);

void residual_connection(benchmark::State& state) {
  const auto options = model_options(state);
  const auto x = activations(options);
  const auto y = activations(options);
  trainer::ResidualConnection module(options, a_layer(options).residual_connections.front(), /*index=*/0);
  forward_and_backward(state, *module, kTokens, [&] {
    return module->forward(x, [&](const at::Tensor&, const trainer::ExecutionContext&) { return y; });
  });
}
BENCHMARK(residual_connection)->Apply(all_models);

}  // namespace
}  // namespace translate::micro
