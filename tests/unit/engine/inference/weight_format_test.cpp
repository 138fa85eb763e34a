#include "inference/weight_format.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/processor.h"

namespace translate {
namespace {

TEST(AutomaticFormat, FollowsTheInstructionsAndTheWidthOfTheModel) {
  for (const auto* instructions : {"avx2", "avx512 vnni", "avx512 bf16 vnni", "neon dot", "neon dot i8mm bf16"}) {
    EXPECT_EQ(automatic_format(instructions, 64), WeightFormat::kInt8) << instructions;
    EXPECT_EQ(automatic_format(instructions, 1024), WeightFormat::kInt8) << instructions;
    EXPECT_EQ(automatic_format(instructions, 63), WeightFormat::kFloat) << instructions;
  }
  for (const auto* instructions : {"baseline", "avx512", "avx512 bf16", "neon"}) {
    EXPECT_EQ(automatic_format(instructions, 1024), WeightFormat::kFloat) << instructions;
  }
}

TEST(AutomaticFormat, IsWhatAutoStandsForOnTheCpu) {
  ModelOptions options;
  for (const std::int64_t d_model : {32, 512}) {
    options.d_model = d_model;
    EXPECT_EQ(cpu_weight_format("auto", /*exact=*/false, options), automatic_format(kernel_instructions(), d_model));
    EXPECT_EQ(cpu_weight_format("auto", /*exact=*/true, options), WeightFormat::kFloat);
  }
}

TEST(CpuWeightFormat, IsWhatThePrecisionNames) {
  const ModelOptions options;
  for (const bool exact : {false, true}) {
    EXPECT_EQ(cpu_weight_format("fp32", exact, options), WeightFormat::kFloat);
    EXPECT_EQ(cpu_weight_format("bf16", exact, options), WeightFormat::kBfloat16);
    EXPECT_EQ(cpu_weight_format("int8", exact, options), WeightFormat::kInt8);
  }
  EXPECT_THROW((void)cpu_weight_format("fp16", false, options), ConfigError);
}

}  // namespace
}  // namespace translate
