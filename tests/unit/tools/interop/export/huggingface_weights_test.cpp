#include "interop/export/huggingface_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "model/position_table.h"
#include "support/error_of.h"
#include "unit/tools/interop/export/exported_fixture.h"

namespace translate::tools {
namespace {

using ::testing::Contains;
using ::testing::Each;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kShared = "model.shared.weight";
constexpr std::size_t kSos = 1;  // the ids of train_tokenizer
constexpr std::size_t kPad = 3;
constexpr std::size_t kWidth = 4;

ModelOptions pegasus_options() {
  auto options = tiny_options();
  options.tie_embeddings = EmbeddingTying::kAll;
  return options;
}

ModelOptions marian_options() {
  auto options = tiny_options();
  options.norm = NormPlacement::kPost;
  return options;
}

const StoredArray& find(const NamedArrays& arrays, const std::string& name) {
  const auto found = std::ranges::find(arrays, name, [](const auto& array) { return array.first; });
  if (found == arrays.end()) {
    throw std::out_of_range(name);
  }
  return found->second;
}

std::vector<float> numbers(const NamedArrays& arrays, const std::string& name) {
  const auto& array = find(arrays, name);
  const auto data = as_floats(array, name);
  return {data.get(), data.get() + array.count()};
}

std::vector<std::string> names(const NamedArrays& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays) {
    names.push_back(name);
  }
  return names;
}

/// Rows of width 4 with their columns 0 2 1 3: evens first.
std::vector<float> columns_permuted(std::vector<float> values) {
  for (std::size_t row = 0; row < values.size(); row += kWidth) {
    std::swap(values[row + 1], values[row + 2]);
  }
  return values;
}

/// Four rows in the order 0 2 1 3.
std::vector<float> rows_permuted(const std::vector<float>& values) {
  const auto columns = std::ssize(values) / 4;
  std::vector<float> permuted;
  for (const std::ptrdiff_t row : {0, 2, 1, 3}) {
    permuted.insert(permuted.end(), values.begin() + row * columns, values.begin() + (row + 1) * columns);
  }
  return permuted;
}

TEST(HuggingFaceWeights, PermuteTheResidualStreamAndNothingElse) {
  auto options = marian_options();
  options.attention_bias = true;
  const auto model = tiny_model(options);
  const auto arrays = huggingface_weights(model);
  const std::string theirs = "model.decoder.layers.0.";
  const std::string ours = "decoder.layers.0.";
  const auto expect = [&](const std::string& name, const std::string& of, auto permuted) {
    EXPECT_EQ(numbers(arrays, theirs + name), permuted(weight_of(model, ours + of))) << name;
  };
  const auto same = [](std::vector<float> values) { return values; };
  expect("encoder_attn.q_proj.weight", "cross_attention_block.w_q.weight", columns_permuted);
  expect("encoder_attn.k_proj.weight", "cross_attention_block.w_k.weight", columns_permuted);
  expect("encoder_attn.v_proj.bias", "cross_attention_block.w_v.bias", same);
  expect("self_attn.out_proj.weight", "self_attention_block.w_o.weight", rows_permuted);
  expect("self_attn.out_proj.bias", "self_attention_block.w_o.bias", rows_permuted);
  expect("fc1.weight", "feed_forward_block.linear_1.weight", columns_permuted);
  expect("fc1.bias", "feed_forward_block.linear_1.bias", same);
  expect("fc2.weight", "feed_forward_block.linear_2.weight", rows_permuted);
  expect("fc2.bias", "feed_forward_block.linear_2.bias", rows_permuted);
  expect("encoder_attn_layer_norm.weight", "residual_connections.1.norm.alpha", rows_permuted);
  expect("final_layer_norm.bias", "residual_connections.2.norm.bias", rows_permuted);
  EXPECT_EQ(numbers(arrays, "lm_head.weight"), columns_permuted(weight_of(model, "projection_layer.proj.weight")));
  EXPECT_EQ(numbers(arrays, "model.encoder.embed_tokens.weight"),
            columns_permuted(weight_of(model, "src_embed.embedding.weight")));
}

TEST(HuggingFaceWeights, AreNotPermutedIfTheSinusoidsAreInHalves) {
  auto options = marian_options();
  options.sinusoid_layout = SinusoidLayout::kHalves;
  const auto model = tiny_model(options);
  EXPECT_EQ(numbers(huggingface_weights(model), "model.encoder.layers.0.fc1.weight"),
            weight_of(model, "encoder.layers.0.feed_forward_block.linear_1.weight"));
}

TEST(HuggingFaceWeights, HaveZerosForBiasesThatTheModelLacks) {
  const auto arrays = huggingface_weights(tiny_model(marian_options()));
  EXPECT_EQ(numbers(arrays, "model.encoder.layers.0.self_attn.k_proj.bias"), std::vector<float>(kWidth, 0.0F));
}

TEST(HuggingFaceWeights, ForbidSubwordsByTheBiasOfTheLogits) {
  const auto model = tiny_model(marian_options());
  auto expected = weight_of(model, "projection_layer.proj.bias");
  for (const std::size_t id : {std::size_t{0}, kSos, kPad}) {
    expected[id] = -1e4F;
  }
  const auto arrays = huggingface_weights(model);
  EXPECT_EQ(numbers(arrays, "final_logits_bias"), expected);
  EXPECT_EQ(find(arrays, "final_logits_bias").shape,
            (std::vector<std::int64_t>{1, static_cast<std::int64_t>(expected.size())}));
}

TEST(HuggingFaceWeights, OfOneTableAreStoredOnce) {
  const auto arrays = huggingface_weights(tiny_model(pegasus_options()));
  EXPECT_THAT(names(arrays), Contains(kShared));
  EXPECT_THAT(names(arrays), Not(Contains("lm_head.weight")));
  EXPECT_THAT(names(arrays), Not(Contains("model.decoder.embed_tokens.weight")));
  EXPECT_THAT(names(arrays), Contains("model.encoder.layer_norm.weight"));
}

TEST(HuggingFaceWeights, LetTheDecoderStartWithPadAsWithSos) {
  const auto model = tiny_model(pegasus_options());
  auto expected = weight_of(model, "src_embed.embedding.weight");
  std::copy_n(expected.begin() + kSos * kWidth, kWidth, expected.begin() + kPad * kWidth);
  EXPECT_EQ(numbers(huggingface_weights(model), kShared), columns_permuted(expected));
  EXPECT_EQ(decoder_start_id(model), std::int64_t{kSos});
}

TEST(HuggingFaceWeights, StartWithAZeroVectorWhereItDisturbsNothing) {
  auto options = pegasus_options();
  options.zero_start = true;
  const auto zero_row = [&](const ModelToExport& model) {
    const auto table = numbers(huggingface_weights(model), kShared);
    const auto row = table.begin() + decoder_start_id(model) * static_cast<std::ptrdiff_t>(kWidth);
    EXPECT_THAT(std::vector<float>(row, row + kWidth), Each(0.0F));
    return decoder_start_id(model);
  };
  auto model = tiny_model(options);
  EXPECT_EQ(zero_row(model), std::int64_t{kPad});  // sources begin with sos
  model.tokenizers.source = model.tokenizers.source.for_sources(/*source_sos=*/false);
  EXPECT_EQ(zero_row(model), std::int64_t{kSos});
}

TEST(HuggingFaceWeights, HaveTablesOfPositionsWhereTheClassHasOthers) {
  const std::string table = "model.decoder.embed_positions.weight";
  EXPECT_THAT(names(huggingface_weights(tiny_model(marian_options()))), Not(Contains(table)));

  auto options = marian_options();
  options.positions = PositionKind::kLearned;
  auto model = tiny_model(options);
  EXPECT_EQ(numbers(huggingface_weights(model), table), weight_of(model, "tgt_pos.embedding.weight"));
  EXPECT_EQ(huggingface_positions(model.config), 8);
  EXPECT_EQ(numbers(huggingface_weights(model), "model.encoder.layers.0.fc1.weight"),
            weight_of(model, "encoder.layers.0.feed_forward_block.linear_1.weight"));  // not permuted

  options.positions = PositionKind::kNone;
  EXPECT_THAT(numbers(huggingface_weights(tiny_model(options)), table), Each(0.0F));

  options.positions = PositionKind::kSinusoidal;
  options.sinusoid_frequencies = SinusoidFrequencies::kTensor2Tensor;
  model = tiny_model(options);
  EXPECT_EQ(numbers(huggingface_weights(model), table), sinusoidal_table(1024, Sinusoids(options)));
}

TEST(HuggingFaceWeights, HaveTheSinusoidsOfPegasusInHalves) {
  auto halves = Sinusoids(kWidth);
  halves.layout = SinusoidLayout::kHalves;
  EXPECT_EQ(numbers(huggingface_weights(tiny_model(pegasus_options())), "model.encoder.embed_positions.weight"),
            sinusoidal_table(1024, halves));
}

TEST(HuggingFaceWeights, ExpressReferenceNorms) {
  auto options = marian_options();
  options.layer_norm = LayerNormKind::kReference;
  options.layer_norm_epsilon = 1e-6;
  const auto model = tiny_model(options);
  auto expected = rows_permuted(weight_of(model, "encoder.layers.0.residual_connections.0.norm.alpha"));
  for (auto& value : expected) {
    value *= std::sqrt(0.75F);  // (d - 1) / d
  }
  EXPECT_THAT(numbers(huggingface_weights(model), "model.encoder.layers.0.self_attn_layer_norm.weight"),
              ::testing::Pointwise(::testing::FloatEq(), expected));
}

TEST(HuggingFaceClass, IsRefusedToWhatItCannotHold) {
  EXPECT_EQ(huggingface_class(marian_options()), HuggingFaceClass::kMarian);
  EXPECT_EQ(huggingface_class(pegasus_options()), HuggingFaceClass::kPegasus);
  EXPECT_THAT(error_of<ConfigError>([&] { return huggingface_class(tiny_options()); }),
              HasSubstr("this one has model.tie_embeddings \"none\"; export to ctranslate2, or train with"));
  auto options = marian_options();
  options.layer_norm_epsilon = 1e-3;
  EXPECT_THAT(error_of<ConfigError>([&] { return huggingface_class(options); }),
              HasSubstr("its norms have model.layer_norm_epsilon = 0.001, and there it is 1e-05"));
}

}  // namespace
}  // namespace translate::tools
