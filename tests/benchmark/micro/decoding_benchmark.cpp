// Inference through packed weights: products, attention over a cache, encoding, and a whole step of decoding. Arguments
// besides the model: int8 (0: single precision, 1: weights of 8 bits) and the rows that go through together.

#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "inference/packed_model.h"
#include "kernels/cached_attention.h"
#include "micro/setting.h"
#include "tensors/tensor_file.h"

namespace translate::micro {
namespace {

WeightFormat format(const benchmark::State& state) {
  return state.range(1) != 0 ? WeightFormat::kInt8 : WeightFormat::kFloat;
}

PackedModel packed_model(const benchmark::State& state) {
  const auto model = training_model(model_options(state));
  return PackedModel(pack_weights(model->options(), model->sizes(),
                                  trainer::arrays_of(trainer::unique_parameters(model)), format(state), "the model"));
}

std::vector<std::vector<std::int64_t>> sources_of(std::int64_t count) {
  std::vector<std::int64_t> ids(kLength);
  std::iota(ids.begin(), ids.end(), std::int64_t{4});
  return std::vector(static_cast<std::size_t>(count), ids);
}

void add(DecodingSession& session, const std::vector<std::vector<std::int64_t>>& sources) {
  session.add(std::vector<std::span<const std::int64_t>>(sources.begin(), sources.end()));
}

void by_rows(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"base", "int8", "rows"})->ArgsProduct({{0, 1}, {0, 1}, {1, 5, 96}})->UseRealTime();
}

/// The largest product of a step: logits of all subwords.
void projection(benchmark::State& state) {
  const auto d = model_options(state).d_model;
  const auto rows = state.range(2);
  const auto weight = at::randn({kVocabulary, d});
  const MatrixView view{weight.const_data_ptr<float>(), kVocabulary, d};
  const LinearWeights linear({&view, 1}, {}, format(state));
  const auto x = at::randn({rows, d});
  const auto out = at::empty({rows, kVocabulary});
  for (auto _ : state) {
    linear.apply(rows, trainer::rows_of(x), {trainer::floats(out), kVocabulary});
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] = benchmark::Counter(2.0 * static_cast<double>(rows * d * kVocabulary),
                                                benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(projection)->Apply(by_rows);

/// One query over kLength positions of a cache, all heads.
void cached_attention(benchmark::State& state) {
  const auto options = model_options(state);
  const HeadShape shape{options.num_heads, options.d_model / options.num_heads};
  const auto memory = at::randn({kLength, 2 * options.d_model});
  const auto query = at::randn({options.d_model});
  const auto weights = at::empty({kLength * shape.weight_stride()});
  const auto out = at::empty({options.d_model});
  const CachedRows<float> rows{trainer::floats(memory), 2 * options.d_model, options.d_model, nullptr, kLength};
  for (auto _ : state) {
    attend_to_cache(shape, trainer::floats(query), rows, trainer::floats(weights), trainer::floats(out));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(cached_attention)->Apply(both_sizes);

void encode(benchmark::State& state) {
  const auto model = packed_model(state);
  const auto sources = sources_of(state.range(2));
  const auto session = model.start();
  for (auto _ : state) {
    add(*session, sources);
    session->select({});
  }
  state.SetItemsProcessed(state.iterations() * state.range(2) * kLength);
}
BENCHMARK(encode)->Apply(by_rows);

/// Steps of targets that are kLength / 2 positions long.
void decoding_step(benchmark::State& state) {
  const auto model = packed_model(state);
  const auto session = model.start();
  add(*session, sources_of(state.range(2)));
  const std::vector<std::int64_t> subwords(static_cast<std::size_t>(state.range(2)), 5);
  for (std::int64_t i = 0; i < kLength / 2; ++i) {
    session->step(subwords, [](std::int64_t, const NextSubword&) {});
  }
  for (auto _ : state) {
    session->step(subwords, [](std::int64_t, const NextSubword&) {});
  }
  state.SetItemsProcessed(state.iterations() * state.range(2));
}
BENCHMARK(decoding_step)->Apply(by_rows)->Iterations(kLength);

}  // namespace
}  // namespace translate::micro
