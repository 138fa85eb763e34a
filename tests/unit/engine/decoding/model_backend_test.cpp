#include "decoding/model_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "core/libraries/operator_library.h"
#include "core/processor.h"
#include "operators/libtorch_backend.h"
#include "support/error_of.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

TEST(KernelBackend, ComputesOnTheCpu) {
  const auto before = kernel_threads();
  EXPECT_EQ(start_backend("cpu", 3)->device(), DeviceKind::kCpu);
  EXPECT_EQ(kernel_threads(), 3);
  EXPECT_EQ(KernelBackend(1).device(), DeviceKind::kCpu);
  EXPECT_EQ(kernel_threads(), 1);
  set_kernel_threads(before);
}

TEST(StartBackend, LeavesOtherDevicesToLibTorch) {
  const auto before = kernel_threads();
  EXPECT_THROW((void)start_backend("nonsense", 1), ConfigError);
  EXPECT_THROW((void)start_backend("cuda:77", 1), RuntimeError);
  if (!has_nvidia_driver()) {
    EXPECT_NE(dynamic_cast<const KernelBackend*>(start_backend("auto", 1).get()), nullptr);
  }
  EXPECT_NE(dynamic_cast<const LibTorchBackend*>(start_operator_backend("cpu", 1, "this test").get()), nullptr);
  set_kernel_threads(before);
}

TEST(KernelBackend, PacksWhatItsKernelsCompute) {
  EXPECT_EQ(packs(DeviceKind::kCpu, Precision::kBf16), has_bf16_kernels());
  EXPECT_EQ(Arithmetic(Precision::kBf16).weights, WeightFormat::kBfloat16);
  EXPECT_EQ(Arithmetic(Precision::kFp32).weights, WeightFormat::kFloat);
  EXPECT_FALSE(packs(DeviceKind::kGpu, Precision::kFp32));
  EXPECT_EQ(packs(DeviceKind::kCpu, Precision::kFp32), has_vector_kernels());
}

// With one number for each vector, ten million layers would fit in memory by the size of their numbers alone.
TEST(Backends, MoreLayersThanTensorsAreRefusedBeforeTheyTakeMemory) {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200, 1)});
  LoadedModel model{.config = {}, .tokenizers = {tokenizer, tokenizer}, .weights = {}, .origin = "model.safetensors"};
  model.weights.emplace_back("src_embed.embedding.weight", stored_floats({1, 1}, {0.0F}));
  auto& options = model.config.model;
  options.d_model = options.num_heads = options.d_ff = 1;
  options.encoder_layers = 10'000'000;
  const auto expected = ::testing::HasSubstr("model.safetensors: 1 tensor cannot be 10000000 layers");
  EXPECT_THAT(testing::error_of<CheckpointError>([&] { (void)make_modules(model, c10::kCPU); }), expected);
  EXPECT_THAT(testing::error_of<CheckpointError>([&] { (void)make_packed_model(model, WeightFormat::kFloat); }),
              expected);
}

TEST(OperatorLibrary, AnUnknownFunctionIsAnError) {
  EXPECT_THROW((void)operator_address("translate_torch_nothing", "this test"), RuntimeError);
}

}  // namespace
}  // namespace translate
