#pragma once

#include <ATen/ATen.h>
#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>

#include "config/options.h"
#include "data/batches/bilingual_dataset.h"
#include "modules/transformer.h"

/// What the micro-benchmarks measure on: the layers of the two models that benchmark-peers trains, and batches of their
/// size. Arguments of a benchmark: base (0: tiny, 1: base) and bf16 (0: fp32, 1: bf16 autocast).
namespace translate::micro {

constexpr std::int64_t kVocabulary = 8000;
constexpr std::int64_t kSentences = 256;
constexpr std::int64_t kLength = 16;  ///< positions a side: 4,096 tokens a batch

/// The model that the benchmark's first argument names, with the dropouts and norms of benchmark-peers.
[[nodiscard]] ModelOptions model_options(const benchmark::State& state);

/// The precision that its second argument names.
[[nodiscard]] Precision precision(const benchmark::State& state);

/// Random activations (kSentences, kLength, d_model) that ask for a gradient.
[[nodiscard]] at::Tensor activations(const ModelOptions& options);

/// A batch of kSentences pairs of random subwords, of kLength / 2 to kLength positions: a quarter of it is padding.
[[nodiscard]] trainer::Batch random_batch();

/// A model in training mode.
[[nodiscard]] trainer::Transformer training_model(const ModelOptions& options);

/// Runs `forward` and the backward pass of its result in the benchmark's precision, again and again, and counts
/// `tokens` a time. `owner`'s gradients are dropped each time, as a training step does.
void forward_and_backward(benchmark::State& state, torch::nn::Module& owner, std::int64_t tokens,
                          const std::function<at::Tensor()>& forward);

/// Every combination of model and precision, in wall-clock time.
void all_models(benchmark::internal::Benchmark* benchmark);

/// Both models.
void both_sizes(benchmark::internal::Benchmark* benchmark);

}  // namespace translate::micro
