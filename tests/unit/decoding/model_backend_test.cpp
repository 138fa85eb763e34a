#include "decoding/model_backend.h"

#include <gtest/gtest.h>

#include "core/processor.h"
#include "decoding/operators/libtorch_backend.h"
#include "text/tokenizer_training.h"
#include "unit/text/sample_text.h"

namespace translate {
namespace {

TEST(KernelBackend, ComputesOnTheCpuAlone) {
  const auto before = kernel_threads();
  const KernelBackend backend;
  EXPECT_TRUE(backend.start("cpu", 3).is_cpu());
  EXPECT_EQ(kernel_threads(), 3);
  for (const char* other : {"cuda", "cuda:1", "nonsense"}) {  // what is wrong with a name, LibTorch's side says
    EXPECT_THROW((void)backend.start(other, 1), NeedsLibTorch) << other;
  }
  EXPECT_EQ(kernel_threads(), 3);
  if (!has_nvidia_driver()) {
    EXPECT_TRUE(backend.start("auto", 1).is_cpu());
  }
  set_kernel_threads(before);
}

TEST(KernelBackend, LeavesToLibTorchWhatItCannotDo) {
  const KernelBackend backend;
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200, 1)});
  const TokenizerPair tokenizers{tokenizer, tokenizer};
  const LoadedModel loaded{.config = {}, .tokenizers = tokenizers, .weights = {}, .origin = "nowhere"};
  if (!has_bf16_kernels()) {
    EXPECT_THROW((void)backend.make(loaded, c10::kCPU, Precision::kBf16), NeedsLibTorch);
  }
  EXPECT_THROW((void)backend.make(loaded, c10::Device(c10::kCUDA, 0), Precision::kFp32), NeedsLibTorch);
  EXPECT_THROW((void)backend.load({.weights = "model.pt", .config = {}, .tokenizers = tokenizers}), NeedsLibTorch);
  EXPECT_EQ(packs(c10::kCPU, Precision::kBf16), has_bf16_kernels());
  EXPECT_EQ(Arithmetic(Precision::kBf16).weights, WeightFormat::kBfloat16);
  EXPECT_EQ(Arithmetic(Precision::kFp32).weights, WeightFormat::kFloat);
  EXPECT_FALSE(packs(c10::Device(c10::kCUDA, 0), Precision::kFp32));
  EXPECT_EQ(packs(c10::kCPU, Precision::kFp32), has_vector_kernels());
}

}  // namespace
}  // namespace translate
