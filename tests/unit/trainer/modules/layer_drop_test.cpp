#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "modules/dropout.h"
#include "modules/transformer.h"
#include "tensors/device.h"

namespace translate::trainer {
namespace {

constexpr VocabularySizes kDropSizes{.source = 30, .target = 30, .source_pad = 0, .target_pad = 0};

Transformer model_with(double layer_drop) {
  ModelOptions options;
  options.d_model = 16;
  options.encoder_layers = 3;
  options.decoder_layers = 2;
  options.num_heads = 2;
  options.d_ff = 24;
  options.dropout = 0.0;
  options.layer_drop = layer_drop;
  seed_generators(4);
  return build_transformer(options, kDropSizes);
}

at::Tensor some_ids(std::int64_t length) { return at::randint(1, 30, {4, length}, at::kLong); }

TEST(LayerDrop, SkipsItsShareOfTheLayersInTrainingAlone) {
  constexpr int kDraws = 20000;
  seed_generators(1);
  int skipped = 0;
  for (int i = 0; i < kDraws; ++i) {
    skipped += LayerDrop(0.3).skips(/*is_training=*/true) ? 1 : 0;
    EXPECT_FALSE(LayerDrop(0.3).skips(/*is_training=*/false));
    EXPECT_FALSE(LayerDrop(0.0).skips(/*is_training=*/true));
  }
  EXPECT_NEAR(skipped, 0.3 * kDraws, 5.0 * std::sqrt(0.3 * 0.7 * kDraws));
}

TEST(LayerDrop, DrawsNothingWhereNothingIsLeftOut) {
  seed_generators(1);
  const auto first = draw_key();
  seed_generators(1);
  EXPECT_FALSE(LayerDrop(0.0).skips(true));
  EXPECT_FALSE(LayerDrop(0.9).skips(false));
  EXPECT_EQ(draw_key(), first);
}

TEST(LayerDrop, AModelTranslatesWithAllLayers) {
  auto with = model_with(0.7);
  auto without = model_with(0.0);
  const auto source = some_ids(5);
  const auto target = some_ids(6);
  for (auto* model : {&with, &without}) {
    (*model)->eval();
  }
  EXPECT_TRUE(at::equal(with->forward(source, target), without->forward(source, target)));
}

TEST(LayerDrop, ASkippedLayerHasNoGradientAndTheSeedTellsWhich) {
  auto model = model_with(0.5);
  model->train();
  const auto source = some_ids(5);
  const auto target = some_ids(6);
  std::size_t without_gradient = 0;
  std::vector<at::Tensor> outputs;
  for (const std::uint64_t seed : {11U, 12U, 13U, 11U}) {
    seed_generators(seed);
    model->zero_grad(/*set_to_none=*/true);
    outputs.push_back(model->forward(source, target));
    outputs.back().sum().backward();
    for (const auto& [name, parameter] : unique_parameters(model)) {
      without_gradient += parameter.grad().defined() ? 0 : 1;
    }
  }
  EXPECT_GT(without_gradient, 0U);
  EXPECT_TRUE(at::equal(outputs[0], outputs[3]));
  EXPECT_FALSE(at::equal(outputs[0], outputs[1]) && at::equal(outputs[0], outputs[2]));
}

}  // namespace
}  // namespace translate::trainer
