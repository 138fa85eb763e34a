#include "micro/setting.h"

#include <random>
#include <vector>

#include "tensors/device.h"

namespace translate::micro {
namespace {

constexpr std::int64_t kPad = 3;
constexpr std::int64_t kFirstSubword = 4;

std::vector<std::int64_t> random_subwords(std::mt19937_64& random) {
  std::uniform_int_distribution<std::int64_t> length(kLength / 2, kLength);
  std::uniform_int_distribution<std::int64_t> subword(kFirstSubword, kVocabulary - 1);
  std::vector<std::int64_t> subwords(static_cast<std::size_t>(length(random)));
  for (auto& id : subwords) {
    id = subword(random);
  }
  return subwords;
}

}  // namespace

ModelOptions model_options(const benchmark::State& state) {
  const bool base = state.range(0) == 1;
  ModelOptions options;
  options.d_model = base ? 512 : 128;
  options.encoder_layers = options.decoder_layers = base ? 6 : 4;
  options.num_heads = base ? 8 : 4;
  options.d_ff = base ? 2048 : 256;
  options.dropout = base ? 0.1 : 0.3;
  options.attention_dropout = 0.0;
  options.activation_dropout = 0.0;
  options.layer_norm = LayerNormKind::kTorch;
  options.tie_embeddings = EmbeddingTying::kAll;
  options.init = Initialization::kScaled;
  return options;
}

Precision precision(const benchmark::State& state) { return state.range(1) == 1 ? Precision::kBf16 : Precision::kFp32; }

at::Tensor activations(const ModelOptions& options) {
  trainer::seed_generators(1);
  return at::randn({kSentences, kLength, options.d_model}).requires_grad_();
}

trainer::Batch random_batch() {
  std::mt19937_64 random(1);
  std::vector<trainer::Example> examples(static_cast<std::size_t>(kSentences));
  for (auto& example : examples) {
    example.encoder_input = random_subwords(random);
    example.decoder_input = random_subwords(random);
    example.label = example.decoder_input;
  }
  return trainer::collate(examples);
}

trainer::Transformer training_model(const ModelOptions& options) {
  trainer::seed_generators(1);
  auto model = trainer::build_transformer(
      options, {.source = kVocabulary, .target = kVocabulary, .source_pad = kPad, .target_pad = kPad});
  model->train();
  return model;
}

void forward_and_backward(benchmark::State& state, torch::nn::Module& owner, std::int64_t tokens,
                          const std::function<at::Tensor()>& forward) {
  for (auto _ : state) {
    at::Tensor result;
    {
      const trainer::AutocastGuard autocast(c10::kCPU, precision(state));
      result = forward();
    }
    result.backward(at::ones_like(result));
    for (auto& parameter : owner.parameters()) {
      parameter.mutable_grad() = at::Tensor();
    }
  }
  state.SetItemsProcessed(state.iterations() * tokens);
}

void all_models(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"base", "bf16"})->ArgsProduct({{0, 1}, {0, 1}})->Unit(benchmark::kMillisecond)->UseRealTime();
}

void both_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("base")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();
}

}  // namespace translate::micro
