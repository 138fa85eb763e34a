// The cost of a layer's parts and of decoding, over the number of positions and the width (Vaswani et al. 2017, table
// 1). Layers have heads of 64 columns and d_ff = 4 d, as the paper's; nothing is dropped. scripts/plot-costs makes
// tables and a picture of the results. The counter `multiplications` is that of one pass, from the shapes of its
// products.

#include <string>

#include "micro/setting.h"
#include "model/parameters.h"
#include "modules/feed_forward_block.h"
#include "modules/masks.h"
#include "modules/multi_head_attention_block.h"

namespace translate::micro {
namespace {

constexpr std::int64_t kHeadWidth = 64;

/// The options of a layer whose width is the benchmark's second argument.
ModelOptions layer_options(const benchmark::State& state) {
  ModelOptions options;
  options.d_model = state.range(1);
  options.num_heads = options.d_model / kHeadWidth;
  options.d_ff = 4 * options.d_model;
  options.dropout = 0.0;
  return options;
}

LayerParameters layer_of(const ModelOptions& options) {
  return describe_parameters(options, /*sizes=*/{}).encoder.layers.front();
}

/// Random activations of one sentence whose length is the benchmark's first argument: (1, n, d).
at::Tensor sentence(const benchmark::State& state) { return at::randn({1, state.range(0), state.range(1)}); }

/// The multiplications of a product with this result, whose factors share a dimension of length `inner`.
double multiplications(const at::Tensor& result, std::int64_t inner) {
  return static_cast<double>(result.numel()) * static_cast<double>(inner);
}

void set_multiplications(benchmark::State& state, double count) { state.counters["multiplications"] = count; }

void lengths_and_widths(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"n", "d"})
      ->ArgsProduct({{16, 64, 256, 1024}, {128, 512}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

/// softmax(Q K^T / sqrt(d_k)) V in all heads, without projections.
void attention_alone(benchmark::State& state) {
  const at::NoGradGuard no_grad;
  const auto options = layer_options(state);
  trainer::MultiHeadAttentionBlock block(options, layer_of(options).self_attention_block.value());
  const auto query = block->split_heads(sentence(state));  // (1, heads, n, d_k)
  const trainer::KeyValue key_value{block->split_heads(sentence(state)), block->split_heads(sentence(state))};
  double count = 0.0;
  const auto observed = trainer::ExecutionContext().observed_by([&](const std::string& stage, const at::Tensor& value) {
    if (stage == "scores") {
      count += multiplications(value, query.size(3));
    }
    if (stage == "heads") {
      count += multiplications(value, key_value.key.size(2));
    }
  });
  static_cast<void>(trainer::attention(query, key_value, /*pattern=*/{}, /*dropout=*/nullptr, observed));
  for (auto _ : state) {
    benchmark::DoNotOptimize(trainer::attention(query, key_value, /*pattern=*/{}));
  }
  set_multiplications(state, count);
}
BENCHMARK(attention_alone)->Name("cost_attention")->Apply(lengths_and_widths);

/// w_q, w_k, w_v and w_o.
void projections(benchmark::State& state) {
  const at::NoGradGuard no_grad;
  const auto options = layer_options(state);
  trainer::MultiHeadAttentionBlock block(options, layer_of(options).self_attention_block.value());
  const auto x = sentence(state);
  const auto all = {block->w_q, block->w_k, block->w_v, block->w_o};
  double count = 0.0;
  for (auto projection : all) {
    count += multiplications(projection(x), projection->weight.size(1));
  }
  for (auto _ : state) {
    for (auto projection : all) {
      benchmark::DoNotOptimize(projection(x));
    }
  }
  set_multiplications(state, count);
}
BENCHMARK(projections)->Name("cost_projections")->Apply(lengths_and_widths);

void feed_forward_alone(benchmark::State& state) {
  const at::NoGradGuard no_grad;
  const auto options = layer_options(state);
  trainer::FeedForwardBlock block(options, layer_of(options).feed_forward_block);
  const auto x = sentence(state);
  double count = 0.0;
  const auto observed = trainer::ExecutionContext().observed_by([&](const std::string& stage, const at::Tensor& value) {
    count += multiplications(value, stage == "inner" ? options.d_model : options.d_ff);
  });
  static_cast<void>(block(x, /*sentences=*/nullptr, observed));
  for (auto _ : state) {
    benchmark::DoNotOptimize(block(x));
  }
  set_multiplications(state, count);
}
BENCHMARK(feed_forward_alone)->Name("cost_feed_forward")->Apply(lengths_and_widths);

/// A model in evaluation mode with a source and a target of random subwords.
struct Translating {
  explicit Translating(std::int64_t length)
      : model(training_model(options())),
        source(at::randint(4, kVocabulary, {1, kLength}, at::kLong)),
        target(at::randint(4, kVocabulary, {1, length}, at::kLong)) {
    model->eval();
  }

  static ModelOptions options() {
    ModelOptions options;
    options.d_model = 256;
    options.encoder_layers = options.decoder_layers = 4;
    options.num_heads = 4;
    options.d_ff = 1024;
    return options;
  }

  /// The decoder over the first `length` positions, and the logits of the last `rows` of them.
  void decode(const at::Tensor& memory, const at::Tensor& mask, std::int64_t length, std::int64_t rows) {
    const auto ids = target.slice(1, 0, length);
    const auto features = model->decode(memory, mask, ids, trainer::decoder_mask(ids, model->sizes().target_pad));
    benchmark::DoNotOptimize(model->project(features.slice(1, length - rows, length)));
  }

  c10::NoGradGuard no_grad;
  trainer::Transformer model;
  at::Tensor source;
  at::Tensor target;
};

void target_lengths(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("T")->Arg(16)->Arg(32)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond)->UseRealTime();
}

/// Counts the positions that go through the decoder's layers.
void set_positions(benchmark::State& state, std::int64_t count) {
  state.counters["positions"] = static_cast<double>(count);
}

/// The whole target in one pass, as in training: each position is given the right subwords before it.
void one_pass(benchmark::State& state) {
  const auto length = state.range(0);
  Translating translating(length);
  for (auto _ : state) {
    const auto mask = trainer::padding_mask(translating.source, translating.model->sizes().source_pad);
    translating.decode(translating.model->encode(translating.source, mask), mask, length, length);
  }
  set_positions(state, length);
}
BENCHMARK(one_pass)->Name("cost_one_pass")->Apply(target_lengths);

/// The target step by step, where each step computes its own position and finds the others in the cache.
void steps_with_cache(benchmark::State& state) {
  const auto length = state.range(0);
  Translating translating(length);
  for (auto _ : state) {
    auto cache = translating.model->start_cache(translating.source);
    for (std::int64_t t = 0; t < length; ++t) {
      benchmark::DoNotOptimize(translating.model->decode_step(translating.target.slice(1, t, t + 1), cache));
    }
  }
  set_positions(state, length);
}
BENCHMARK(steps_with_cache)->Name("cost_steps_with_cache")->Apply(target_lengths);

/// The target step by step, where each step computes all positions so far.
void steps_without_cache(benchmark::State& state) {
  const auto length = state.range(0);
  Translating translating(length);
  for (auto _ : state) {
    const auto mask = trainer::padding_mask(translating.source, translating.model->sizes().source_pad);
    const auto memory = translating.model->encode(translating.source, mask);
    for (std::int64_t t = 1; t <= length; ++t) {
      translating.decode(memory, mask, t, /*rows=*/1);
    }
  }
  set_positions(state, length * (length + 1) / 2);
}
BENCHMARK(steps_without_cache)->Name("cost_steps_without_cache")->Apply(target_lengths);

}  // namespace
}  // namespace translate::micro
