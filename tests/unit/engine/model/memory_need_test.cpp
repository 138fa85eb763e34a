#include "model/memory_need.h"

#include <gmock/gmock.h>

#include <string>

#include "core/error.h"

namespace translate {
namespace {

using ::testing::HasSubstr;

constexpr VocabularySizes kThousandSubwords{.source = 1000, .target = 1000, .source_pad = 3, .target_pad = 3};

std::string error_of(const ModelOptions& options) {
  try {
    check_memory_need(options, kThousandSubwords, kBytesOfPackedWeight, *cpu_device());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(MemoryNeed, CountsWhatAnOptimizerHolds) {
  TrainingOptions options;
  EXPECT_EQ(training_bytes_of_weight(options), 16.0);  // weight, gradient, two moments
  options.ema_decay = 0.999;
  EXPECT_EQ(training_bytes_of_weight(options), 20.0);
  options.optimizer.type = OptimizerType::kMuon;
  EXPECT_EQ(training_bytes_of_weight(options), 16.0);
}

TEST(MemoryNeed, IsParametersAndTheTableOfPositions) {
  ModelOptions options;
  options.positions = PositionKind::kNone;
  EXPECT_EQ(memory_need(options, kThousandSubwords, 4.0), 4.0 * parameter_total(options, kThousandSubwords));
  options.positions = PositionKind::kSinusoidal;
  options.max_positions = 1000;
  EXPECT_EQ(memory_need(options, kThousandSubwords, 4.0),
            4.0 * parameter_total(options, kThousandSubwords) + 4000.0 * 512.0);
}

TEST(MemoryNeed, FitsUpToWhatTheProcessCouldHold) {
  EXPECT_TRUE(fits_in_memory(0.0, *cpu_device()));
  EXPECT_TRUE(fits_in_memory(1024.0 * 1024.0 * 1024.0, *cpu_device()));
  EXPECT_FALSE(fits_in_memory(1e18, *cpu_device()));
}

TEST(MemoryNeed, SizesReadWell) {
  EXPECT_EQ(gibibytes(1.5 * 1024.0 * 1024.0 * 1024.0), "1.5 GiB");
  EXPECT_EQ(gibibytes(1e24), "9.3e+14 GiB");
}

TEST(MemoryNeed, OrdinaryModelsPass) { EXPECT_EQ(error_of(ModelOptions()), ""); }

TEST(MemoryNeed, NoSizeOverflows) {
  constexpr std::int64_t kHuge = 1'000'000'000'000'000;  // the largest that a configuration may have
  for (const auto& [member, key] :
       {std::pair(&ModelOptions::d_model, "model.d_model"), std::pair(&ModelOptions::d_ff, "model.d_ff"),
        std::pair(&ModelOptions::encoder_layers, "model.encoder_layers"),
        std::pair(&ModelOptions::decoder_layers, "model.decoder_layers"),
        std::pair(&ModelOptions::max_positions, "model.max_positions")}) {
    ModelOptions options;
    options.*member = kHuge;
    EXPECT_THAT(error_of(options), HasSubstr(std::string(key) + " 1000000000000000"));
  }
  ModelOptions all;
  all.d_model = all.d_ff = all.encoder_layers = all.decoder_layers = all.max_positions = kHuge;
  EXPECT_THAT(error_of(all), HasSubstr("does not fit in memory"));
}

}  // namespace
}  // namespace translate
