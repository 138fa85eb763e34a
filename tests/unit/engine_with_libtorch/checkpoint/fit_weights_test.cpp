#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>

#include "checkpoint/weights_file.h"
#include "modules/embeddings.h"
#include "modules/transformer.h"
#include "tensors/tensor_file.h"
#include "unit/engine_with_libtorch/checkpoint/checkpoint_fixture.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr VocabularySizes kSizes{.source = 6, .target = 6, .source_pad = 3, .target_pad = 3};

ModelOptions small(EmbeddingTying tying = EmbeddingTying::kNone) {
  ModelOptions options;
  options.d_model = 8;
  options.encoder_layers = 1;
  options.decoder_layers = 1;
  options.num_heads = 2;
  options.d_ff = 12;
  options.tie_embeddings = tying;
  return options;
}

trainer::NamedTensors weights_of(const trainer::Transformer& model) {
  trainer::NamedTensors weights;
  for (const auto& [name, parameter] : trainer::unique_parameters(model)) {
    weights.emplace_back(name, parameter.detach().clone());
  }
  return weights;
}

at::Tensor& at_name(trainer::NamedTensors& weights, const std::string& name) {
  for (auto& [key, tensor] : weights) {
    if (key == name) {
      return tensor;
    }
  }
  throw std::out_of_range(name);
}

struct Fitted {
  trainer::NamedTensors weights;
  std::vector<std::string> notes;
};

Fitted fit(const trainer::NamedTensors& weights, const trainer::Transformer& model) {
  Fitted result;
  result.weights = trainer::tensors_of(
      fit_weights(trainer::arrays_of(weights), model->options(), model->sizes(), "x.pt", result.notes));
  return result;
}

std::string refusal(const trainer::NamedTensors& weights, const trainer::Transformer& model) {
  return error_of<CheckpointError>([&] { (void)fit(weights, model); });
}

TEST(FitOptions, AttentionBiasFollowsTheWeights) {
  for (const bool before : {false, true}) {
    for (const bool in_weights : {false, true}) {
      ModelOptions options = small();
      options.attention_bias = in_weights;
      const trainer::NamedTensors weights = weights_of(trainer::build_transformer(options, kSizes));
      options.attention_bias = before;
      std::vector<std::string> notes;
      const ModelOptions fitted = fit_options(options, trainer::arrays_of(weights), notes);
      EXPECT_EQ(fitted.attention_bias, in_weights);
      EXPECT_EQ(notes.size(), before == in_weights ? 0U : 1U);
      options.attention_bias = in_weights;
      EXPECT_EQ(fitted, options);  // nothing else changes
    }
  }
}

TEST(FitOptions, WeightsWithoutAttentionTellNothing) {
  ModelOptions options = small();
  options.attention_bias = true;
  std::vector<std::string> notes;
  EXPECT_TRUE(fit_options(options, {{"a", stored_floats({1}, {1.0F})}}, notes).attention_bias);
  EXPECT_THAT(notes, IsEmpty());
}

TEST(FitWeights, WeightsThatFitStayAsTheyAre) {
  const trainer::Transformer model = trainer::build_transformer(small(EmbeddingTying::kAll), kSizes);
  const trainer::NamedTensors weights = weights_of(model);
  const Fitted fitted = fit(weights, model);
  expect_same_tensors(fitted.weights, weights);
  EXPECT_THAT(fitted.notes, IsEmpty());
}

TEST(FitWeights, TiedWeightsAreKeptOnceUnderTheFirstName) {
  const trainer::Transformer model = trainer::build_transformer(small(EmbeddingTying::kAll), kSizes);
  const trainer::NamedTensors once = weights_of(model);
  trainer::NamedTensors every = once;
  const at::Tensor table = at_name(every, "src_embed.embedding.weight");
  every.emplace_back("tgt_embed.embedding.weight", table);
  every.emplace_back("projection_layer.proj.weight", table.clone());
  expect_same_tensors(fit(every, model).weights, once);
  trainer::NamedTensors later = once;
  std::ranges::find(later, "src_embed.embedding.weight", [](const auto& item) { return item.first; })->first =
      "projection_layer.proj.weight";
  const Fitted fitted = fit(later, model);
  expect_same_tensors(fitted.weights, once);
  EXPECT_THAT(fitted.notes, ElementsAre("src_embed.embedding.weight is tied to projection_layer.proj.weight, which "
                                        "was missing"));
}

TEST(FitWeights, TiedWeightsThatDifferInOneBitAreRefused) {
  const trainer::Transformer model = trainer::build_transformer(small(EmbeddingTying::kDecoder), kSizes);
  trainer::NamedTensors weights = weights_of(model);
  at::Tensor copy = at_name(weights, "tgt_embed.embedding.weight").clone();
  copy[5][7] = std::nextafter(copy[5][7].item<float>(), 9.0F);
  weights.emplace_back("projection_layer.proj.weight", copy);
  EXPECT_EQ(refusal(weights, model),
            "x.pt: tgt_embed.embedding.weight and projection_layer.proj.weight differ, but model.tie_embeddings makes "
            "them one weight: set it to the way the model was trained (\"none\", \"decoder\" or \"all\")");
  EXPECT_NO_THROW((void)fit(weights, trainer::build_transformer(small(), kSizes)));  // two weights of their own
}

TEST(FitWeights, SinusoidalTablesAreComparedAndDropped) {
  const trainer::Transformer model = trainer::build_transformer(small(), kSizes);
  const trainer::NamedTensors weights = weights_of(model);
  for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    for (const std::int64_t length : {1, 350, 5000}) {
      trainer::NamedTensors with_tables = weights;
      with_tables.emplace_back("src_pos.pe", trainer::sinusoidal_positions(length, 8).to(type));
      with_tables.emplace_back("tgt_pos.pe", trainer::sinusoidal_positions(length, 8)[0].to(type));
      const Fitted fitted = fit(with_tables, model);
      expect_same_tensors(fitted.weights, weights);
      EXPECT_EQ(fitted.notes.size(), 2U);
    }
  }
}

/// The table by the definition, in double precision.
at::Tensor table_of(std::int64_t length, const std::function<double(double, int)>& value) {
  at::Tensor table = at::empty({1, length, 8}, at::kDouble);
  for (int position = 0; position < length; ++position) {
    for (int column = 0; column < 8; ++column) {
      table[0][position][column] = value(position, column);
    }
  }
  return table.to(at::kFloat);
}

double sine_or_cosine(double angle, int column) { return column % 2 == 0 ? std::sin(angle) : std::cos(angle); }

TEST(FitWeights, ATableByTheDefinitionIsAcceptedAndOthersAreRefusedWithTheirPlace) {
  const trainer::Transformer model = trainer::build_transformer(small(), kSizes);
  const auto with = [&](const at::Tensor& table) {
    trainer::NamedTensors weights = weights_of(model);
    weights.emplace_back("tgt_pos.pe", table);
    return weights;
  };
  const auto right = [](double position, int column) {
    return sine_or_cosine(position * std::pow(10000.0, -2.0 * (column / 2) / 8), column);
  };
  EXPECT_EQ(fit(with(table_of(1000, right)), model).notes.size(), 1U);
  const auto growing = [](double position, int column) {  // the exponent with the wrong sign
    return sine_or_cosine(position * std::pow(10000.0, 2.0 * (column / 2) / 8), column);
  };
  EXPECT_EQ(
      refusal(with(table_of(20, growing)), model),
      "x.pt: tgt_pos.pe is not the sinusoidal table of model.positions = \"sinusoidal\" (alternating sin and cos of "
      "position * 10000^(-2i/d_model)): at position 1, column 2 it has -0.544021, expected 0.099833. The model was "
      "trained with other positions: set model.positions to \"learned\" and model.max_positions to 20, and in "
      "Python store tgt_pos.pe[0] as tgt_pos.embedding.weight");
  const auto raw_column = [](double position, int column) {  // the column's number for the pair's
    return sine_or_cosine(position * std::pow(10000.0, -2.0 * column / 8), column);
  };
  EXPECT_THAT(refusal(with(table_of(20, raw_column)), model), HasSubstr("at position 1, column 1 it has"));
  const auto halves = [](double position, int column) {  // all sines, then all cosines
    const double angle = position * std::pow(10000.0, -2.0 * (column % 4) / 8);
    return column < 4 ? std::sin(angle) : std::cos(angle);
  };
  EXPECT_THAT(refusal(with(table_of(20, halves)), model),
              HasSubstr("at position 0, column 1 it has 0.000000, expected 1"));
}

TEST(FitWeights, OneWrongValueOfATableIsFound) {
  const trainer::Transformer model = trainer::build_transformer(small(), kSizes);
  for (const float wrong : {0.0003F, std::numeric_limits<float>::quiet_NaN()}) {
    trainer::NamedTensors weights = weights_of(model);
    at::Tensor table = trainer::sinusoidal_positions(30, 8);
    table[0][17][6] += wrong;
    weights.emplace_back("src_pos.pe", table);
    EXPECT_THAT(refusal(weights, model), HasSubstr("at position 17, column 6 it has"));
  }
}

TEST(FitWeights, TablesOfAnotherShapeOrTypeAreRefused) {
  const trainer::Transformer model = trainer::build_transformer(small(), kSizes);
  for (const at::Tensor& table : {at::zeros({1, 20, 10}), at::zeros({2, 20, 8}), at::zeros({8}), at::zeros({}),
                                  at::zeros({1, 20, 8}, at::kLong)}) {
    EXPECT_THAT(refusal({{"src_pos.pe", table}}, model), StartsWith("x.pt: src_pos.pe has shape ["));
  }
}

TEST(FitWeights, ATableBesideOtherPositionsIsLeftForTheListOfWhatIsLeftOver) {
  for (const PositionKind kind : {PositionKind::kNone, PositionKind::kLearned}) {
    ModelOptions options = small();
    options.positions = kind;
    trainer::Transformer model = trainer::build_transformer(options, kSizes);
    trainer::NamedTensors weights = weights_of(model);
    weights.emplace_back("src_pos.pe", trainer::sinusoidal_positions(20, 8));
    const Fitted fitted = fit(weights, model);
    EXPECT_THAT(error_of<CheckpointError>([&] { trainer::load_parameters(model, fitted.weights, "x.pt"); }),
                HasSubstr("src_pos.pe is left over"));
  }
}

TEST(FitWeights, NormsOfOneElementAreWidened) {
  const trainer::Transformer model = trainer::build_transformer(small(), kSizes);
  const trainer::NamedTensors right = weights_of(model);
  trainer::NamedTensors weights = right;
  at_name(weights, "encoder.norm.alpha") = at::full({1}, 2.5, at::kDouble);
  at_name(weights, "decoder.layers.0.residual_connections.2.norm.bias") = at::full({}, -1.0);
  at_name(weights, "projection_layer.proj.bias") = at::zeros({1});  // no norm: another model
  Fitted fitted = fit(weights, model);
  EXPECT_TRUE(at_name(fitted.weights, "encoder.norm.alpha").equal(at::full({8}, 2.5)));
  EXPECT_TRUE(at_name(fitted.weights, "decoder.layers.0.residual_connections.2.norm.bias").equal(at::full({8}, -1.0)));
  EXPECT_EQ(at_name(fitted.weights, "projection_layer.proj.bias").sizes(), at::IntArrayRef({1}));
  EXPECT_THAT(fitted.notes, ElementsAre("widened 2 one-element alpha and bias to d_model",
                                        "converted 1 tensors of float64 to float32"));
}

TEST(FitWeights, MismatchesAreLeftForTheList) {
  trainer::Transformer model = trainer::build_transformer(small(), kSizes);
  trainer::NamedTensors weights = weights_of(model);
  at_name(weights, "src_embed.embedding.weight") = at::zeros({7, 8}, at::kHalf);
  weights.emplace_back("stranger", at::ones({2}, at::kLong));
  std::erase_if(weights, [](const auto& item) { return item.first == "encoder.norm.bias"; });
  const Fitted fitted = fit(weights, model);
  EXPECT_THAT(fitted.notes, IsEmpty());
  EXPECT_EQ(
      error_of<CheckpointError>([&] { trainer::load_parameters(model, fitted.weights, "x.pt"); }),
      "x.pt: these weights do not fit the model, whose sizes are those of the configuration: encoder.norm.bias is "
      "missing; src_embed.embedding.weight has shape "
      "[7, 8], the model [6, 8]; stranger is left over");
}

TEST(FitWeights, WholeNumbersAreNoWeights) {
  const trainer::Transformer model = trainer::build_transformer(small(), kSizes);
  trainer::NamedTensors weights = weights_of(model);
  at_name(weights, "encoder.norm.alpha") = at::ones({8}, at::kLong);
  EXPECT_EQ(refusal(weights, model), "x.pt: encoder.norm.alpha is of type int64, expected floating-point numbers");
}

}  // namespace
}  // namespace translate
