#include "checkpoint/weights_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.h"
#include "support/error_of.h"

namespace translate::testing {
namespace {

using ::testing::HasSubstr;

ModelOptions small_options() {
  ModelOptions options;
  options.d_model = 4;
  options.encoder_layers = 1;
  options.decoder_layers = 1;
  options.num_heads = 2;
  options.d_ff = 6;
  return options;
}

constexpr VocabularySizes kSizes = {.source = 5, .target = 6};

NamedArrays weights_of(const ModelOptions& options) {
  NamedArrays weights;
  for (const auto& [name, shape] : parameter_shapes(options, kSizes)) {
    std::size_t count = 1;
    for (const auto length : shape) {
      count *= static_cast<std::size_t>(length);
    }
    weights.emplace_back(name, stored_floats(shape, std::vector<float>(count)));
  }
  return weights;
}

TEST(WeightsCheckTest, TheParametersOfTheModelPass) {
  const auto options = small_options();
  EXPECT_NO_THROW(check_weights(options, kSizes, weights_of(options), "model.safetensors"));
}

TEST(WeightsCheckTest, NamesWhatIsMissingOrOfAnotherShape) {
  auto options = small_options();
  auto weights = weights_of(options);
  const auto first = weights.front().first;
  weights.erase(weights.begin());
  EXPECT_THAT(error_of<CheckpointError>([&] { check_weights(options, kSizes, weights, "model.safetensors"); }),
              HasSubstr("model.safetensors: these weights do not fit the model"));
  EXPECT_THAT(error_of<CheckpointError>([&] { check_weights(options, kSizes, weights, "model.safetensors"); }),
              HasSubstr(first + " is missing"));
  options.encoder_layers = 2;
  EXPECT_THAT(error_of<CheckpointError>([&] { check_weights(options, kSizes, weights_of(small_options()), "f"); }),
              HasSubstr("encoder.layers.1."));
}

TEST(WeightsCheckTest, MoreLayersThanTensorsAreRefusedBeforeTheyTakeMemory) {
  const auto weights = weights_of(small_options());
  for (auto member : {&ModelOptions::encoder_layers, &ModelOptions::decoder_layers}) {
    auto options = small_options();
    options.*member = std::numeric_limits<std::int64_t>::max();
    EXPECT_THAT(error_of<CheckpointError>([&] { check_weights(options, kSizes, weights, "model.safetensors"); }),
                HasSubstr("tensors cannot be 9223372036854775807 layers, as many as its configuration says"));
    options.*member = std::ssize(weights);
    EXPECT_NO_THROW(check_layer_count(options, weights.size(), "model.safetensors"));
  }
}

TEST(WeightsCheck, NumbersThatAreNotFiniteAreNamed) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NO_THROW(check_finite(std::vector<float>{0.0F, -1e38F}, "w", "m.bin"));
  for (const float value : {kInfinity, -kInfinity, kNan}) {
    const std::vector<float> values = {1.0F, value};
    EXPECT_THAT(error_of<CheckpointError>([&] { check_finite(values, "encoder.w", "m.bin"); }),
                HasSubstr("at place 1, expected finite numbers"));
  }
}

}  // namespace
}  // namespace translate::testing
