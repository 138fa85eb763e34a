#include "model/model_size.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "modules/execution_context.h"
#include "modules/transformer.h"

namespace translate {
namespace {

constexpr std::int64_t kVocabulary = 30;

ModelOptions options_of(EmbeddingTying tying) {
  ModelOptions options;
  options.d_model = 16;
  options.encoder_layers = 3;
  options.decoder_layers = 2;
  options.num_heads = 2;
  options.d_ff = 40;
  options.tie_embeddings = tying;
  return options;
}

trainer::Transformer model_of(const ModelOptions& options) {
  return trainer::build_transformer(options,
                                    {.source = kVocabulary, .target = kVocabulary, .source_pad = 3, .target_pad = 3});
}

TEST(ModelSize, ModulesAddUpToTheWhole) {
  for (const auto tying : {EmbeddingTying::kNone, EmbeddingTying::kDecoder, EmbeddingTying::kAll}) {
    const auto model = model_of(options_of(tying));
    std::map<std::string, std::int64_t> counts;
    std::int64_t top = 0;
    for (const auto& [module, count] : parameters_by_module(describe_parameters(model->options(), model->sizes()))) {
      EXPECT_TRUE(counts.emplace(module, count).second) << module;
      top += module.find('.') == std::string::npos ? count : 0;
    }
    EXPECT_EQ(top, trainer::parameter_count(model));
    EXPECT_EQ(counts["encoder"],
              counts["encoder.self_attention_block"] + counts["encoder.feed_forward_block"] + counts["encoder.norm"]);
    EXPECT_EQ(counts["encoder.self_attention_block"], 3 * 4 * 16 * 16);
    EXPECT_EQ(counts["decoder.cross_attention_block"], 2 * 4 * 16 * 16);
    EXPECT_EQ(counts["encoder.norm"], (3 * 2 + 1) * 2 * 16);
    EXPECT_EQ(counts["src_embed"], kVocabulary * 16);
    EXPECT_EQ(counts["projection_layer"], (tying == EmbeddingTying::kNone ? kVocabulary * 16 : 0) + kVocabulary);
    EXPECT_EQ(counts.contains("tgt_embed"), tying != EmbeddingTying::kAll);
  }
}

/// Counted from the shapes that a pass shows: weights (out, in) times rows, and the two products of each attention.
void expect_the_multiply_adds_of_a_pass(const ModelOptions& options) {
  auto model = model_of(options);
  model->eval();
  const at::NoGradGuard no_grad;
  constexpr std::int64_t kSource = 7;
  constexpr std::int64_t kTarget = 5;
  double products = 0.0;
  const auto context = trainer::ExecutionContext().observed_by([&](const std::string& name, const at::Tensor& value) {
    if (name.ends_with(".scores")) {
      products += 2.0 * static_cast<double>(value.numel() * (options.d_model / options.num_heads));
    }
  });
  static_cast<void>(model(at::full({1, kSource}, 5, at::kLong), at::full({1, kTarget}, 6, at::kLong), context));
  double weights = 0.0;
  for (const auto& [name, parameter] : trainer::unique_parameters(model)) {
    if (parameter.dim() != 2 || name.find("_embed.") != std::string::npos) {
      continue;
    }
    const bool reads_source = name.starts_with("encoder") ||
                              name.find("cross_attention_block.w_k") != std::string::npos ||
                              name.find("cross_attention_block.w_v") != std::string::npos;
    weights += static_cast<double>(parameter.numel() * (reads_source ? kSource : kTarget));
  }
  const auto work = multiply_adds(options, kVocabulary, kSource, kTarget);
  EXPECT_DOUBLE_EQ(work.source_token * kSource + work.target_token * kTarget, weights + products);
}

TEST(ModelSize, MultiplyAddsAreThoseOfThePass) {
  auto options = options_of(EmbeddingTying::kNone);
  expect_the_multiply_adds_of_a_pass(options);
  options.decoder = DecoderKind::kSsru;
  expect_the_multiply_adds_of_a_pass(options);
}

TEST(ModelSize, ARecurrentUnitHasHalfTheMatricesOfSelfAttention) {
  auto options = options_of(EmbeddingTying::kAll);
  options.decoder = DecoderKind::kSsru;
  const auto modules =
      parameters_by_module(describe_parameters(options, {.source = kVocabulary, .target = kVocabulary}));
  const std::map<std::string, std::int64_t> counts(modules.begin(), modules.end());
  EXPECT_EQ(counts.at("decoder.recurrent_unit"), 2 * (2 * 16 * 16 + 16));
  EXPECT_FALSE(counts.contains("decoder.self_attention_block"));
}

}  // namespace
}  // namespace translate
