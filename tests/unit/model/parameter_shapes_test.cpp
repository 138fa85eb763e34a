#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "model/model_description.h"
#include "model/modules/transformer.h"

namespace translate {
namespace {

double values_in(const ParameterShapes& shapes) {
  double total = 0.0;
  for (const auto& [name, shape] : shapes) {
    double values = 1.0;
    for (const auto size : shape) values *= static_cast<double>(size);
    total += values;
  }
  return total;
}

TEST(ParameterShapes, AreThoseOfTheModules) {
  for (const auto tying : {EmbeddingTying::kNone, EmbeddingTying::kDecoder, EmbeddingTying::kAll}) {
    for (const auto positions : {PositionKind::kLearned, PositionKind::kSinusoidal, PositionKind::kNone}) {
      for (const bool pre_norm_with_bias : {false, true}) {
        ModelOptions options;
        options.d_model = 8;
        options.num_heads = 2;
        options.d_ff = 12;
        options.encoder_layers = 1;
        options.decoder_layers = 2;
        options.max_positions = 9;
        options.tie_embeddings = tying;
        options.positions = positions;
        options.norm = pre_norm_with_bias ? NormPlacement::kPre : NormPlacement::kPost;
        options.attention_bias = pre_norm_with_bias;
        const auto target = tying == EmbeddingTying::kAll ? 7 : 5;
        const VocabularySizes sizes{.source = 7, .target = target, .source_pad = 3, .target_pad = 3};
        ParameterShapes expected;
        for (const auto& [name, tensor] : unique_parameters(build_transformer(options, sizes))) {
          expected.emplace_back(name, tensor.sizes().vec());
        }
        EXPECT_EQ(parameter_shapes(options, sizes), expected);
        EXPECT_EQ(parameter_total(options, sizes), values_in(expected));
      }
    }
  }
}

}  // namespace
}  // namespace translate
