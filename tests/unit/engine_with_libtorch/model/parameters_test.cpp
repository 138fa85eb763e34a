#include "model/parameters.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "modules/transformer.h"

namespace translate {
namespace {

/// A model for every combination of options that changes which parameters there are.
struct Variant {
  ModelOptions options;
  VocabularySizes sizes;
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const auto tying : {EmbeddingTying::kNone, EmbeddingTying::kDecoder, EmbeddingTying::kAll}) {
    for (const auto positions : {PositionKind::kLearned, PositionKind::kSinusoidal, PositionKind::kNone}) {
      for (const auto norm : {NormPlacement::kPre, NormPlacement::kPost}) {
        for (const bool bias : {false, true}) {
          ModelOptions options;
          options.d_model = 8;
          options.num_heads = 2;
          options.d_ff = 12;
          options.encoder_layers = 1;
          options.decoder_layers = 2;
          options.max_positions = 9;
          options.tie_embeddings = tying;
          options.positions = positions;
          options.norm = norm;
          options.attention_bias = bias;
          const auto own = norm == NormPlacement::kPost ? Initialization::kFairseq : Initialization::kScaled;
          options.init = bias ? own : Initialization::kReference;
          options.decoder = positions == PositionKind::kNone ? DecoderKind::kSsru : DecoderKind::kTransformer;
          const auto target = tying == EmbeddingTying::kAll ? 7 : 5;
          all.push_back({options, {.source = 7, .target = target, .source_pad = 3, .target_pad = 3}});
        }
      }
    }
  }
  return all;
}

std::vector<Parameter> table_of(const Variant& variant) {
  return list_parameters(describe_parameters(variant.options, variant.sizes));
}

/// The modules register the parameters of the table, all of them and nothing else, in its order, and share the tensors
/// that it ties.
TEST(Parameters, AreThoseOfTheModules) {
  for (const auto& variant : variants()) {
    const auto model = trainer::build_transformer(variant.options, variant.sizes);
    const auto registered = model->named_parameters();
    const auto table = table_of(variant);
    ASSERT_EQ(table.size(), registered.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
      EXPECT_EQ(table[i].name, registered[i].key());
      EXPECT_EQ(table[i].shape, registered[i].value().sizes().vec()) << table[i].name;
      const auto& owner = registered[table[i].stored_name()];
      EXPECT_TRUE(registered[i].value().is_same(owner)) << table[i].name;
    }
    ParameterShapes unique;
    for (const auto& [name, tensor] : trainer::unique_parameters(model)) {
      unique.emplace_back(name, tensor.sizes().vec());
    }
    EXPECT_EQ(parameter_shapes(variant.options, variant.sizes), unique);
  }
}

TEST(Parameters, AreCounted) {
  for (const auto& variant : variants()) {
    const auto model = trainer::build_transformer(variant.options, variant.sizes);
    EXPECT_EQ(count_values(table_of(variant)), static_cast<double>(trainer::parameter_count(model)));
    EXPECT_EQ(parameter_total(variant.options, variant.sizes), static_cast<double>(trainer::parameter_count(model)));
  }
}

TEST(Parameters, StartAsTheTableSays) {
  at::manual_seed(1);
  for (const auto& variant : variants()) {
    const auto model = trainer::build_transformer(variant.options, variant.sizes);
    const auto registered = model->named_parameters();
    double largest_deviation = 0.0;
    for (const auto& parameter : table_of(variant)) {
      if (parameter.is_tied()) {
        continue;  // its values are another parameter's
      }
      const auto values = registered[parameter.name].detach();
      const auto largest = values.abs().max().item<double>();
      const auto& shape = parameter.shape;
      switch (parameter.initial) {
        case InitialValues::kOnes:
          EXPECT_TRUE(at::equal(values, at::ones_like(values))) << parameter.name;
          break;
        case InitialValues::kZeros:
          EXPECT_EQ(largest, 0.0) << parameter.name;
          break;
        case InitialValues::kUniform: {
          const bool reads_inner = parameter.name.ends_with("linear_2.bias");
          const auto inputs = reads_inner ? variant.options.d_ff : variant.options.d_model;
          EXPECT_LE(largest, 1.0 / std::sqrt(static_cast<double>(inputs))) << parameter.name;
          EXPECT_GT(values.std().item<double>(), 0.0) << parameter.name;
          break;
        }
        case InitialValues::kXavier:
        case InitialValues::kXavierHalfVariance: {
          const double factor = parameter.initial == InitialValues::kXavier ? 6.0 : 3.0;
          const auto bound = std::sqrt(factor / static_cast<double>(shape[0] + shape[1]));
          EXPECT_LE(largest, bound) << parameter.name;
          EXPECT_GT(largest, 0.7 * bound) << parameter.name;
          break;
        }
        case InitialValues::kNormal:
          EXPECT_NEAR(values.std().item<double>(), 1.0 / std::sqrt(8.0), 0.2) << parameter.name;
          largest_deviation = std::max(largest_deviation, largest);
          break;
      }
    }
    EXPECT_EQ(largest_deviation > 0.0, variant.options.init != Initialization::kReference);
  }
}

/// Weight decay goes by the number of dimensions, so that a group has one or the other.
TEST(Parameters, VectorsAreNormsAndBiases) {
  for (const auto& variant : variants()) {
    for (const auto& parameter : table_of(variant)) {
      const bool is_vector = parameter.group == OptimizerGroup::kNorm || parameter.group == OptimizerGroup::kBias;
      EXPECT_EQ(parameter.shape.size(), is_vector ? 1U : 2U) << parameter.name;
    }
  }
}

}  // namespace
}  // namespace translate
