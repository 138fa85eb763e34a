#include "decoding/model_opening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/libraries/operator_library.h"
#include "operators/operator_model.h"
#include "support/error_of.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

/// A model of random weights.
LoadedModel small_loaded_model() {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200, 1)});
  ModelFiles files{.weights = {}, .config_file = {}, .config = {}, .tokenizers = {tokenizer, tokenizer}};
  files.config.model.d_model = files.config.model.d_ff = 32;
  files.config.model.num_heads = 2;
  files.config.model.encoder_layers = files.config.model.decoder_layers = 1;
  return trainer::draw_weights(files);
}

TEST(OpenModels, ComputesOnTheCpuInEveryPrecision) {
  const auto model = small_loaded_model();
  std::int64_t last = 0;
  for (const char* precision : {"int8", "bf16", "fp32"}) {
    const auto opened = open_models({&model, 1}, {.device = "cpu", .precision = precision});
    EXPECT_EQ(opened->device()->kind(), DeviceKind::kCpu);
    EXPECT_TRUE(opened->runs_side_by_side());
    EXPECT_GT(opened->weight_bytes(), last) << precision;  // a wider format takes more memory
    last = opened->weight_bytes();
  }
}

TEST(OpenModels, SeveralModelsBecomeAnEnsemble) {
  const auto model = small_loaded_model();
  const auto one = open_models({&model, 1}, {.device = "cpu"});
  const std::vector<LoadedModel> both = {model, model};
  EXPECT_EQ(open_models(both, {.device = "cpu"})->weight_bytes(), 2 * one->weight_bytes());
}

TEST(OpenModels, RefusesDevicesAndPrecisionsThatThereAreNot) {
  const auto model = small_loaded_model();
  for (const char* device : {"nonsense", "cuda:", "cuda:x", "cuda:1x", "CPU", ""}) {
    EXPECT_THROW((void)open_models({&model, 1}, {.device = device}), ConfigError) << device;
  }
  EXPECT_THROW((void)open_models({&model, 1}, {.device = "cuda:77"}), RuntimeError);
  EXPECT_THROW((void)open_models({&model, 1}, {.device = "cuda", .precision = "int8"}), ConfigError);
  EXPECT_THROW((void)open_models({&model, 1}, {.device = "cpu", .precision = "fp16"}), ConfigError);
  EXPECT_EQ(open_models({&model, 1}, {.precision = "int8"})->device()->kind(), DeviceKind::kCpu);
}

// With one number for each vector, ten million layers would fit in memory by the size of their numbers alone.
TEST(OpenModels, MoreLayersThanTensorsAreRefusedBeforeTheyTakeMemory) {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200, 1)});
  LoadedModel model{.config = {}, .tokenizers = {tokenizer, tokenizer}, .weights = {}, .origin = "model.safetensors"};
  model.weights.emplace_back("src_embed.embedding.weight", stored_floats({1, 1}, {0.0F}));
  auto& options = model.config.model;
  options.d_model = options.num_heads = options.d_ff = 1;
  options.encoder_layers = 10'000'000;
  const auto expected = ::testing::HasSubstr("model.safetensors: 1 tensor cannot be 10000000 layers");
  EXPECT_THAT(testing::error_of<CheckpointError>([&] { (void)trainer::make_modules(model, c10::kCPU); }), expected);
  EXPECT_THAT(testing::error_of<CheckpointError>([&] { (void)make_packed_model(model, WeightFormat::kFloat); }),
              expected);
}

TEST(OperatorLibrary, AnUnknownFunctionIsAnError) {
  EXPECT_THROW((void)operator_address("translate_torch_nothing", "this test"), RuntimeError);
}

}  // namespace
}  // namespace translate
