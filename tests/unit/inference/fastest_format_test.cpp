#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/error.h"
#include "core/processor.h"
#include "inference/arithmetic.h"
#include "support/error_of.h"

namespace translate {
namespace {

TEST(FastestFormat, EveryFormatTakesSomeTime) {
  if (!has_vector_kernels()) {
    GTEST_SKIP() << "this processor lacks AVX2 and FMA";
  }
  ModelOptions options;
  options.d_model = 64;
  const auto times = time_formats(options);
  ASSERT_EQ(times.size(), has_bf16_kernels() ? 3U : 2U);
  EXPECT_EQ(times.front().format, WeightFormat::kFloat);
  EXPECT_EQ(times.back().format, WeightFormat::kInt8);
  for (const auto& time : times) {
    EXPECT_GT(time.seconds, 0.0);
    EXPECT_LT(time.seconds, 60.0);
  }
}

TEST(FastestFormat, AModelThatCannotFitIsRefusedBeforeALayerIsMeasured) {
  ModelOptions options;
  options.d_model = 1'000'000'000;
  EXPECT_THAT(testing::error_of<ConfigError>([&] { (void)arithmetic_of("auto", c10::kCPU, options); }),
              ::testing::HasSubstr("model.d_model 1000000000"));
}

TEST(FastestFormat, WhatRoundsMustGain) {
  const auto chosen = [](double single, double bf16, double bytes) {
    return worthwhile_format(std::array{FormatTime{WeightFormat::kFloat, single},
                                        FormatTime{WeightFormat::kBfloat16, bf16},
                                        FormatTime{WeightFormat::kInt8, bytes}});
  };
  EXPECT_EQ(chosen(1.0, 1.0, 1.0), WeightFormat::kFloat);
  EXPECT_EQ(chosen(1.0, 0.95, 0.95), WeightFormat::kFloat);
  EXPECT_EQ(chosen(1.0, 0.5, 0.5), WeightFormat::kBfloat16);
  EXPECT_EQ(chosen(1.0, 0.5, 0.2), WeightFormat::kInt8);
  EXPECT_EQ(chosen(1.0, 2.0, 0.5), WeightFormat::kInt8);
  EXPECT_EQ(chosen(1.0, 0.5, 0.4), WeightFormat::kBfloat16);
}

}  // namespace
}  // namespace translate
