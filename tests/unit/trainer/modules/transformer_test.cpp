#include "modules/transformer.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "modules/masks.h"
#include "support/folders.h"
#include "support/golden_case.h"

namespace translate::trainer {
namespace {

using ::testing::HasSubstr;
using testing::parse_model_options;
using testing::relative_distance;

constexpr std::int64_t kPad = 3;
constexpr VocabularySizes kSizes{.source = 40, .target = 40, .source_pad = kPad, .target_pad = kPad};

ModelOptions small_options() {
  ModelOptions options;
  options.d_model = 16;
  options.encoder_layers = 2;
  options.decoder_layers = 2;
  options.num_heads = 4;
  options.d_ff = 32;
  options.dropout = 0.0;
  options.max_positions = 64;
  return options;
}

/// Words only: no special ids.
at::Tensor random_ids(std::int64_t batch, std::int64_t length) {
  return at::randint(4, kSizes.source, {batch, length}, at::kLong);
}

/// Every combination that changes what may see what.
std::vector<ModelOptions> option_variants() {
  std::vector<ModelOptions> all;
  for (const auto norm : {NormPlacement::kPre, NormPlacement::kPost}) {
    for (const auto positions : {PositionKind::kSinusoidal, PositionKind::kLearned, PositionKind::kNone}) {
      for (const auto kind : {LayerNormKind::kTorch, LayerNormKind::kReference}) {
        auto options = small_options();
        options.norm = norm;
        options.positions = positions;
        options.layer_norm = kind;
        all.push_back(options);
      }
    }
  }
  auto options = small_options();
  options.zero_start = true;
  options.sinusoid_layout = SinusoidLayout::kHalves;
  options.sinusoid_frequencies = SinusoidFrequencies::kTensor2Tensor;
  all.push_back(options);
  options.decoder = DecoderKind::kSsru;
  options.norm = NormPlacement::kPost;
  all.push_back(options);
  options = small_options();
  options.decoder = DecoderKind::kSsru;
  all.push_back(options);
  return all;
}

class TransformerVariants : public ::testing::TestWithParam<ModelOptions> {
 protected:
  void SetUp() override {
    at::manual_seed(11);
    model_ = build_transformer(GetParam(), kSizes);
    model_->eval();
  }

  c10::NoGradGuard no_grad_;
  Transformer model_{nullptr};
};

TEST_P(TransformerVariants, TheFutureDoesNotLeak) {
  const auto source = random_ids(2, 7);
  const auto target = random_ids(2, 9);
  const auto logits = model_(source, target);
  for (std::int64_t changed = 1; changed < target.size(1); ++changed) {
    auto other = target.clone();
    other.select(1, changed).fill_(5).add_(target.select(1, changed) == 5);
    const auto other_logits = model_(source, other);
    EXPECT_TRUE(at::equal(other_logits.slice(1, 0, changed), logits.slice(1, 0, changed))) << changed;
    EXPECT_FALSE(at::allclose(other_logits.select(1, changed), logits.select(1, changed))) << changed;
  }
}

TEST_P(TransformerVariants, PaddingAndNeighboursChangeNothing) {
  const auto source = random_ids(1, 5);
  const auto target = random_ids(1, 6);
  const auto alone = model_(source, target);
  auto sources = at::full({2, 9}, kPad, at::kLong);
  auto targets = at::full({2, 8}, kPad, at::kLong);
  sources[0].slice(0, 0, 5).copy_(source[0]);
  targets[0].slice(0, 0, 6).copy_(target[0]);
  sources[1].copy_(random_ids(1, 9)[0]);
  targets[1].copy_(random_ids(1, 8)[0]);
  const auto together = model_(sources, targets);
  EXPECT_LE(relative_distance(together[0].slice(0, 0, 6), alone[0]), 1e-5);
}

TEST_P(TransformerVariants, StepsWithTheCacheEqualTheWholePass) {
  auto source = random_ids(3, 7);
  source[1].slice(0, 4, 7).fill_(kPad);
  const auto target = random_ids(3, 21);  // beyond the cache's first capacity
  const auto whole = model_(source, target);
  auto cache = model_->start_cache(source);
  for (std::int64_t t = 0; t < target.size(1); ++t) {
    const auto step = model_->decode_step(target.slice(1, t, t + 1), cache);
    EXPECT_LE(relative_distance(step, whole.select(1, t)), 1e-5) << t;
  }
  EXPECT_EQ(cache.length(), 21);
}

TEST_P(TransformerVariants, AStepWithTheCacheHasTheSublayersOfTheWholePassInTheirOrder) {
  std::vector<std::string> sublayers;
  const auto context = ExecutionContext().observed_by([&](const std::string& name, const at::Tensor&) {
    const bool is_of_connection = name.find("residual_connections") != std::string::npos;
    if (name.starts_with("decoder.") && (is_of_connection || name.ends_with(".output"))) {
      sublayers.push_back(name);
    }
  });
  const auto source = random_ids(1, 5);
  const auto target = random_ids(1, 1);
  static_cast<void>(model_(source, target, context));
  const auto of_whole_pass = std::exchange(sublayers, {});
  auto cache = model_->start_cache(source);
  static_cast<void>(model_->decode_step(target, cache, context));
  sublayers.emplace_back("decoder.output");  // which a step does not report
  EXPECT_EQ(sublayers, of_whole_pass);
  EXPECT_EQ(sublayers.size(), 2 * (3 + 3 * 2) + 1);
}

TEST_P(TransformerVariants, SelectedRowsOfTheCacheGoOnAlone) {
  const auto source = random_ids(3, 5);
  const auto target = random_ids(3, 4);
  const auto whole = model_(source, target);
  auto cache = model_->start_cache(source);
  for (std::int64_t t = 0; t < 2; ++t) {
    static_cast<void>(model_->decode_step(target.slice(1, t, t + 1), cache));
  }
  const auto rows = at::tensor({std::int64_t{2}, std::int64_t{0}}, at::kLong);
  cache.select(rows);
  const auto step = model_->decode_step(target.index_select(0, rows).slice(1, 2, 3), cache);
  EXPECT_LE(relative_distance(step, whole.index_select(0, rows).select(1, 2)), 1e-5);
}

TEST_P(TransformerVariants, WithoutADecoderMaskRealPositionsAndGradientsAreTheSame) {
  const at::AutoGradMode with_gradients(true);
  auto source = random_ids(3, 6);
  source[2].slice(0, 3, 6).fill_(kPad);
  auto target = random_ids(3, 8);
  target[0].slice(0, 5, 8).fill_(kPad);
  target[1].slice(0, 1, 8).fill_(kPad);
  const auto real = target.ne(kPad);
  const auto gradients = at::randn({3, 8, small_options().d_model});
  const auto run = [&](const at::Tensor& features) {
    const auto rows = features.index({real});
    (rows * gradients.index({real})).sum().backward();
    std::vector<at::Tensor> results{rows.detach()};
    for (const auto& [name, parameter] : unique_parameters(model_)) {
      results.push_back(parameter.grad().defined() ? parameter.grad() : at::zeros_like(parameter));
      at::Tensor(parameter).mutable_grad() = at::Tensor();
    }
    return results;
  };
  const auto masked = run(model_->forward_features(source, target));
  const auto source_mask = padding_mask(source, kPad);
  const auto unmasked = run(
      model_->decode(model_->encode(source, source_mask), source_mask, target, AttentionPattern::up_to_the_query()));
  const auto names = unique_parameters(model_);
  for (std::size_t i = 0; i < masked.size(); ++i) {
    const auto name = i == 0 ? "features" : names[i - 1].first;
    EXPECT_TRUE(at::allclose(unmasked[i], masked[i], 1e-4, 1e-5)) << name;
  }
  EXPECT_GT(masked[1].abs().max().item<float>(), 0.0F);
}

INSTANTIATE_TEST_SUITE_P(Variants, TransformerVariants, ::testing::ValuesIn(option_variants()));

TEST(Transformer, NamesShapesAndCountsAreTheReferences) {
  std::ifstream file(project_folder() / "tests/golden/model/initial.json");
  const auto json = nlohmann::json::parse(file);
  int named = 0;
  for (const auto& golden : json.at("models")) {
    SCOPED_TRACE(golden.at("name"));
    const auto options = parse_model_options(golden.at("model").dump());
    if (options.d_model > 512) {
      continue;  // 214 million values: the base models show the same
    }
    const Transformer model(options, VocabularySizes{.source = golden.at("source_vocab_size"),
                                                     .target = golden.at("target_vocab_size"),
                                                     .source_pad = kPad,
                                                     .target_pad = kPad});
    EXPECT_EQ(parameter_count(model), golden.at("parameter_count"));
    if (!golden.contains("parameters")) {
      continue;
    }
    ++named;
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> expected;
    for (const auto& parameter : golden.at("parameters")) {
      expected.emplace_back(parameter.at("name"), parameter.at("shape").get<std::vector<std::int64_t>>());
    }
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> ours;
    for (const auto& [name, parameter] : unique_parameters(model)) {
      ours.emplace_back(name, parameter.sizes().vec());
    }
    EXPECT_THAT(ours, ::testing::ElementsAreArray(expected));
  }
  EXPECT_GT(named, 0);
}

TEST(Transformer, StartsAsXavierUniformAndTheSeedDecides) {
  const auto build = [](std::uint64_t seed) {
    at::manual_seed(seed);
    return build_transformer(small_options(), kSizes);
  };
  const auto first = build(1);
  for (const auto& [name, parameter] : unique_parameters(first)) {
    if (parameter.dim() > 1) {
      const auto bound = std::sqrt(6.0 / static_cast<double>(parameter.size(0) + parameter.size(1)));
      const auto largest = parameter.abs().max().item<double>();
      EXPECT_LE(largest, bound) << name;
      EXPECT_GT(largest, 0.9 * bound) << name;
      EXPECT_NEAR(parameter.std().item<double>(), bound / std::sqrt(3.0), 0.1 * bound) << name;
    }
  }
  const auto same = unique_parameters(build(1));
  const auto other = unique_parameters(build(2));
  EXPECT_TRUE(at::equal(unique_parameters(first)[0].second, same[0].second));
  EXPECT_FALSE(at::equal(same[0].second, other[0].second));
}

TEST(Transformer, ScaledStartGivesEmbeddingsTheirOwnSpread) {
  auto options = small_options();
  options.init = Initialization::kScaled;
  options.tie_embeddings = EmbeddingTying::kAll;
  const auto model = build_transformer(options, kSizes);
  EXPECT_NEAR(model->src_embed->embedding->weight.std().item<double>(), 0.25, 0.03);  // 16^-0.5
}

// The bounds and deviations of fairseq's reset_parameters.
TEST(Transformer, FairseqsStartHasItsSpreads) {
  auto options = small_options();
  options.init = Initialization::kFairseq;
  const auto width = static_cast<double>(options.d_model);
  const auto spread = [](double bound) { return bound / std::sqrt(3.0); };
  for (const auto& [name, parameter] : unique_parameters(build_transformer(options, kSizes))) {
    const auto ends_in = [&name = name](std::string_view end) { return name.ends_with(end); };
    const bool has_heads = ends_in("w_q.weight") || ends_in("w_k.weight") || ends_in("w_v.weight");
    const bool is_head_bias = ends_in("w_q.bias") || ends_in("w_k.bias") || ends_in("w_v.bias");
    double expected = 0.0;  // of biases, and of the norms' factors, which are all 1
    if (ends_in("embedding.weight") || ends_in("proj.weight")) {
      expected = 1.0 / std::sqrt(width);
    } else if (has_heads) {
      expected = spread(std::sqrt(3.0 / (2.0 * width)));
    } else if (is_head_bias) {
      expected = spread(1.0 / std::sqrt(width));
    } else if (parameter.dim() == 2) {
      expected = spread(std::sqrt(6.0 / static_cast<double>(parameter.size(0) + parameter.size(1))));
    }
    const double tolerance = is_head_bias ? 0.4 : 0.1;  // of few values
    EXPECT_NEAR(parameter.std().item<double>(), expected, tolerance * expected) << name;
    EXPECT_EQ(parameter.abs().max().item<double>() == 0.0, ends_in("bias") && !is_head_bias) << name;
  }
}

TEST(Transformer, TyingSharesOneTensorAndItsGradient) {
  for (const auto tying : {EmbeddingTying::kNone, EmbeddingTying::kDecoder, EmbeddingTying::kAll}) {
    auto options = small_options();
    options.tie_embeddings = tying;
    const auto model = build_transformer(options, kSizes);
    const auto& source = model->src_embed->embedding->weight;
    const auto& target = model->tgt_embed->embedding->weight;
    const auto& projection = model->projection_layer->proj->weight;
    EXPECT_EQ(target.is_same(projection), tying != EmbeddingTying::kNone);
    EXPECT_EQ(source.is_same(target), tying == EmbeddingTying::kAll);
  }
}

TEST(Transformer, OneTableForTwoVocabulariesIsRefused) {
  auto options = small_options();
  options.tie_embeddings = EmbeddingTying::kAll;
  auto sizes = kSizes;
  sizes.target = 41;
  EXPECT_THROW(static_cast<void>(build_transformer(options, sizes)), ConfigError);
}

TEST(Transformer, LearnedPositionsEndWithAMessage) {
  auto options = small_options();
  options.positions = PositionKind::kLearned;
  options.max_positions = 8;
  auto model = build_transformer(options, kSizes);
  const EvaluationMode evaluation(model);
  EXPECT_NO_THROW(model(random_ids(1, 8), random_ids(1, 8)));
  try {
    model(random_ids(1, 9), random_ids(1, 2));
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("model.max_positions = 8"));
  }
}

TEST(Transformer, ForeignWeightsAreRefusedWithAList) {
  auto model = build_transformer(small_options(), kSizes);
  auto weights = unique_parameters(model);
  weights[0].second = at::zeros({1, 2});
  weights[1].first = "unheard.of";
  const auto missing = unique_parameters(model)[1].first;
  try {
    load_parameters(model, weights, "some.safetensors");
    FAIL();
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), HasSubstr("some.safetensors"));
    EXPECT_THAT(error.what(), HasSubstr(weights[0].first + " has shape [1, 2], the model [16, 16]"));
    EXPECT_THAT(error.what(), HasSubstr("unheard.of is left over"));
    EXPECT_THAT(error.what(), HasSubstr(missing + " is missing"));
  }
}

TEST(Transformer, EveryOptionChangesTheResult) {
  const auto logits_of = [](const ModelOptions& options) {
    at::manual_seed(5);
    auto model = build_transformer(options, kSizes);
    model->eval();
    const at::NoGradGuard no_grad;
    for (auto& [name, parameter] : unique_parameters(model)) {
      auto generator = at::detail::createCPUGenerator(std::hash<std::string>{}(name) % 1000);
      at::Tensor(parameter).normal_(0.0, 0.3, generator);  // the same values for the same name, whatever else there is
    }
    at::manual_seed(6);
    return model(random_ids(2, 6), random_ids(2, 6));
  };
  const auto base = logits_of(small_options());
  const auto differs = [&](auto change) {
    auto options = small_options();
    change(options);
    return !at::allclose(logits_of(options), base, 1e-4, 1e-5);
  };
  EXPECT_TRUE(differs([](ModelOptions& o) { o.num_heads = 2; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.norm = NormPlacement::kPost; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.layer_norm = LayerNormKind::kTorch; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.layer_norm_epsilon = 0.1; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.embedding_scale = false; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.positions = PositionKind::kNone; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.positions = PositionKind::kLearned; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.sinusoid_layout = SinusoidLayout::kHalves; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.sinusoid_frequencies = SinusoidFrequencies::kTensor2Tensor; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.activation = Activation::kGelu; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.activation = Activation::kSwish; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.tie_embeddings = EmbeddingTying::kDecoder; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.attention_bias = true; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.encoder_layers = 1; }));
  EXPECT_TRUE(differs([](ModelOptions& o) { o.decoder_layers = 3; }));
}

TEST(Transformer, EachDropoutActsInTrainingAlone) {
  for (int which = 0; which < 3; ++which) {
    auto options = small_options();
    options.dropout = which == 0 ? 0.5 : 0.0;
    options.attention_dropout = which == 1 ? 0.5 : 0.0;
    options.activation_dropout = which == 2 ? 0.5 : 0.0;
    auto model = build_transformer(options, kSizes);
    const auto source = random_ids(2, 6);
    const auto target = random_ids(2, 6);
    model->train();
    EXPECT_FALSE(at::allclose(model(source, target), model(source, target))) << which;
    {
      const EvaluationMode evaluation(model);
      EXPECT_TRUE(at::equal(model(source, target), model(source, target))) << which;
    }
    EXPECT_TRUE(model->is_training());
  }
}

}  // namespace
}  // namespace translate::trainer
