#include "inference/arithmetic.h"

#include <gtest/gtest.h>

#include "core/processor.h"

namespace translate {
namespace {

TEST(AutomaticFormat, FollowsTheInstructionsAndTheWidthOfTheModel) {
  for (const auto* instructions : {"avx2", "avx512 vnni", "avx512 bf16 vnni"}) {
    EXPECT_EQ(automatic_format(instructions, 64), WeightFormat::kInt8) << instructions;
    EXPECT_EQ(automatic_format(instructions, 1024), WeightFormat::kInt8) << instructions;
    EXPECT_EQ(automatic_format(instructions, 63), WeightFormat::kFloat) << instructions;
  }
  for (const auto* instructions : {"none", "avx512", "avx512 bf16"}) {
    EXPECT_EQ(automatic_format(instructions, 1024), WeightFormat::kFloat) << instructions;
  }
}

TEST(AutomaticFormat, IsWhatAutoStandsForOnTheCpu) {
  ModelOptions options;
  for (const std::int64_t d_model : {32, 512}) {
    options.d_model = d_model;
    const auto arithmetic = arithmetic_of("auto", DeviceKind::kCpu, options);
    EXPECT_EQ(arithmetic.precision, Precision::kFp32);
    EXPECT_EQ(arithmetic.weights, automatic_format(kernel_instructions(), d_model));
  }
}

}  // namespace
}  // namespace translate
