#include "fused/fused_sublayers.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/execution_context.h"
#include "modules/transformer.h"
#include "support/distance.h"
#include "tensors/device.h"

namespace translate::trainer {
namespace {

constexpr VocabularySizes kSublayerSizes{.source = 37, .target = 41, .source_pad = 0, .target_pad = 0};

ModelOptions small_model() {
  ModelOptions options;
  options.d_model = 48;
  options.encoder_layers = 2;
  options.decoder_layers = 2;
  options.num_heads = 3;
  options.d_ff = 80;
  options.dropout = 0.2;
  return options;
}

/// Random ids of sentences of different lengths, the first of `length`.
UnpaddedIds random_ids(std::int64_t sentences, std::int64_t length, std::int64_t vocabulary) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t sentence = 0; sentence < sentences; ++sentence) {
    lengths.push_back(length - sentence % length);
  }
  const auto layout = std::make_shared<UnpaddedLayout>(lengths, length);
  return {.ids = at::randint(1, vocabulary, {layout->rows()}, at::kLong), .sentences = layout};
}

struct Outcome {
  at::Tensor features;
  std::map<std::string, at::Tensor> gradients;
};

/// Features and the gradients of a fixed random function of them, the dropout masks drawn from one seed.
Outcome outcome_of(Transformer& model, const UnpaddedIds& source, const UnpaddedIds& target, bool fused,
                   Precision precision = Precision::kFp32) {
  seed_generators(5);
  model->zero_grad();
  Outcome outcome;
  {
    const AutocastGuard autocast(c10::kCPU, precision);
    const ExecutionContext context(c10::kCPU, precision, fused ? &fused_sublayers() : nullptr);
    outcome.features = model->forward_unpadded(source, target, context);
  }
  const auto weights = at::sin(at::arange(outcome.features.numel(), at::kFloat)).view(outcome.features.sizes());
  (outcome.features * weights).sum().backward();
  for (const auto& [name, parameter] : unique_parameters(model)) {
    if (parameter.grad().defined()) {
      outcome.gradients[name] = parameter.grad().clone();
    }
  }
  return outcome;
}

/// A model in training whose norms and biases are not 1 and 0.
Transformer any_model(const ModelOptions& options, std::uint64_t seed) {
  seed_generators(seed);
  auto model = build_transformer(options, kSublayerSizes);
  const at::NoGradGuard no_grad;
  for (const auto& parameter : unique_parameters(model)) {
    at::Tensor(parameter.second).add_(at::randn_like(parameter.second), 0.05);
  }
  model->train();
  return model;
}

/// The largest distance from a gradient that is allowed.
using ErrorLimit = std::function<double(const std::string& name, const at::Tensor& gradient)>;

/// Returns the names of the gradients that are further from the expected ones than `limit` allows.
std::string names_of_wrong_gradients(const Outcome& fused, const Outcome& expected, const ErrorLimit& limit) {
  std::string names;
  for (const auto& [name, gradient] : expected.gradients) {
    const auto error = (fused.gradients.at(name) - gradient).norm().item<double>();
    if (!(error < limit(name, gradient))) {
      names += name + ' ';
    }
  }
  return names;
}

/// Holds that some of a few models, each with its own weights, has no wrong gradients. One alone may have them on some
/// processor: where the input of a ReLU is zero but for rounding, two right computations may see different signs. A
/// wrong kernel fails with all weights.
void expect_for_some_weights(const std::function<std::string(std::uint64_t seed)>& names_of_wrong) {
  std::string names;
  for (const std::uint64_t seed : {11U, 12U, 13U, 14U}) {
    names = names_of_wrong(seed);
    if (names.empty()) {
      return;
    }
  }
  ADD_FAILURE() << "wrong gradients: " << names;
}

/// Holds the fused kernels against LibTorch's operators.
void expect_the_same(const ModelOptions& options, std::int64_t sentences = 7, std::int64_t source_length = 19,
                     std::int64_t target_length = 23, double word_dropout = 0.0) {
  expect_for_some_weights([&](std::uint64_t seed) {
    auto model = any_model(options, seed);
    model->src_embed->word_dropout->set_probability(word_dropout);
    model->tgt_embed->word_dropout->set_probability(0.5 * word_dropout);
    const auto source = random_ids(sentences, source_length, kSublayerSizes.source);
    const auto target = random_ids(sentences, target_length, kSublayerSizes.target);
    const auto plain = outcome_of(model, source, target, /*fused=*/false);
    const auto fused = outcome_of(model, source, target, /*fused=*/true);
    EXPECT_LT(testing::relative_distance(fused.features, plain.features), 2e-6);
    EXPECT_NE((fused.features - plain.features).abs().sum().item<double>(), 0.0) << "the fused kernels did not run";
    EXPECT_EQ(fused.gradients.size(), plain.gradients.size());
    return names_of_wrong_gradients(fused, plain, [](const std::string& /*name*/, const at::Tensor& gradient) {
      // The gradient of w_k.bias is zero but for rounding: all keys shifted alike change no weight.
      return 2e-5 * gradient.norm().item<double>() + 1e-5;
    });
  });
}

TEST(TrainingContext, HasTheFusedKernelsOnACpuWhereTheyAreAskedFor) {
  const auto* fused = &fused_sublayers();
  EXPECT_EQ(training_context(c10::kCPU, Precision::kFp32, true).kernels(), fused);
  EXPECT_EQ(training_context(c10::kCPU, Precision::kBf16, true).kernels(), fused);
  EXPECT_EQ(training_context(c10::kCPU, Precision::kFp32, false).kernels(), nullptr);
  EXPECT_EQ(training_context(c10::kCUDA, Precision::kFp32, true).kernels(), nullptr);
  EXPECT_EQ(ExecutionContext().kernels(), nullptr);
}

TEST(FusedSublayers, AgreeWithThePlainOperators) { expect_the_same(small_model()); }

TEST(FusedSublayers, AgreeForPreAndPostNormAndEachKindOfNorm) {
  for (const auto placement : {NormPlacement::kPre, NormPlacement::kPost}) {
    for (const auto kind : {LayerNormKind::kTorch, LayerNormKind::kReference, LayerNormKind::kRms}) {
      auto options = small_model();
      options.norm = placement;
      options.layer_norm = kind;
      expect_the_same(options);
    }
  }
}

TEST(FusedSublayers, AgreeForEachKindOfDropout) {
  auto options = small_model();
  options.dropout = 0.0;
  expect_the_same(options);
  options.attention_dropout = 0.3;
  expect_the_same(options);
  options.attention_dropout = 0.0;
  options.activation_dropout = 0.4;
  expect_the_same(options);
}

TEST(FusedSublayers, AgreeWithAttentionBiases) {
  auto options = small_model();
  options.attention_bias = true;
  expect_the_same(options);
}

TEST(FusedSublayers, AgreeForEachKindOfPositions) {
  for (const auto kind : {PositionKind::kSinusoidal, PositionKind::kLearned, PositionKind::kNone}) {
    auto options = small_model();
    options.positions = kind;
    expect_the_same(options);
  }
}

TEST(FusedSublayers, AgreeIfTheDecoderStartsFromAZeroVector) {
  for (const auto kind : {PositionKind::kSinusoidal, PositionKind::kLearned, PositionKind::kNone}) {
    auto options = small_model();
    options.positions = kind;
    options.zero_start = true;
    expect_the_same(options);
  }
}

TEST(FusedSublayers, AgreeForRecurrentUnits) {
  for (const auto placement : {NormPlacement::kPre, NormPlacement::kPost}) {
    auto options = small_model();
    options.decoder = DecoderKind::kSsru;
    options.norm = placement;
    expect_the_same(options);
    expect_the_same(options, 1, 1, 1);
    expect_the_same(options, 1, 130, 210);
    expect_the_same(options, 90, 20, 18);
  }
}

TEST(FusedSublayers, DropTheSameWords) {
  for (const auto kind : {PositionKind::kSinusoidal, PositionKind::kLearned, PositionKind::kNone}) {
    auto options = small_model();
    options.positions = kind;
    expect_the_same(options, 7, 19, 23, /*word_dropout=*/0.4);
  }
}

TEST(FusedSublayers, DropTheSameLayers) {
  auto options = small_model();
  options.layer_drop = 0.5;
  options.encoder_layers = 4;
  expect_the_same(options);
}

TEST(FusedSublayers, AgreeForEachActivation) {
  for (const auto activation : {Activation::kGelu, Activation::kSwish}) {
    auto options = small_model();
    options.activation = activation;
    expect_the_same(options);
  }
}

TEST(FusedSublayers, AgreeForWidthsThatAreNoMultipleOfAVector) {
  auto options = small_model();
  for (const std::int64_t heads : {1, 5, 35}) {  // heads of 35, 7 and 1 values, none of them a multiple of a vector
    options.d_model = 35;
    options.positions = PositionKind::kNone;  // sines and cosines come in pairs
    options.num_heads = heads;
    options.d_ff = 17;
    for (const auto decoder : {DecoderKind::kTransformer, DecoderKind::kSsru}) {
      options.decoder = decoder;
      expect_the_same(options);
    }
  }
  options = small_model();
  expect_the_same(options, 1, 1, 1);
  expect_the_same(options, 1, 130, 210);  // one sentence longer than a chunk of rows
  expect_the_same(options, 90, 20, 18);   // more rows than a block
}

TEST(FusedSublayers, AreAsExactInBf16AsThePlainOperators) {
  for (const auto placement : {NormPlacement::kPre, NormPlacement::kPost}) {
    for (const auto activation : {Activation::kRelu, Activation::kGelu}) {
      auto options = small_model();
      options.norm = placement;
      options.activation = activation;
      options.decoder = activation == Activation::kGelu ? DecoderKind::kSsru : DecoderKind::kTransformer;
      options.attention_bias = true;
      expect_for_some_weights([&](std::uint64_t seed) {
        auto model = any_model(options, seed);
        const auto source = random_ids(7, 19, kSublayerSizes.source);
        const auto target = random_ids(7, 23, kSublayerSizes.target);
        const auto exact = outcome_of(model, source, target, /*fused=*/true);
        const auto rounded = outcome_of(model, source, target, /*fused=*/true, Precision::kBf16);
        const auto plain = outcome_of(model, source, target, /*fused=*/false, Precision::kBf16);
        EXPECT_LT(testing::relative_distance(rounded.features, exact.features), 1e-2);
        EXPECT_GT(testing::relative_distance(rounded.features, exact.features), 1e-5) << "it was not in bf16";
        EXPECT_GT(testing::relative_distance(rounded.features, plain.features), 1e-5)
            << "the fused kernels did not run";
        EXPECT_EQ(rounded.gradients.size(), exact.gradients.size());
        return names_of_wrong_gradients(rounded, exact, [&](const std::string& name, const at::Tensor& gradient) {
          const auto error = (plain.gradients.at(name) - gradient).norm().item<double>();
          return 1.5 * error + 1e-2 * gradient.norm().item<double>() + 1e-2;
        });
      });
    }
  }
}

}  // namespace
}  // namespace translate::trainer
