#include <gtest/gtest.h>

#include "metrics/significance.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

constexpr std::uint64_t kSeed = 12345;

TEST(ResamplingRandom, DrawsNumbersBelowALimitAsNumPyDoes) {
  for (const auto& [limit, expected] : testing::metric_variants().at("draws").at("below").items()) {
    ResamplingRandom random(kSeed);
    for (const nlohmann::json& number : expected) {
      EXPECT_EQ(random.below(static_cast<std::uint32_t>(std::stoul(limit))), number.get<std::uint32_t>()) << limit;
    }
  }
}

TEST(ResamplingRandom, DrawsFlagsAsNumPyDoes) {
  ResamplingRandom random(kSeed);
  for (const nlohmann::json& flag : testing::metric_variants().at("draws").at("flags")) {
    EXPECT_EQ(random.flag() ? 1 : 0, flag.get<int>());
  }
}

TEST(ResamplingRandom, TakesSeedsOf64BitsAsNumPyDoes) {
  for (const auto& [seed, expected] : testing::metric_variants().at("draws").at("seeds").items()) {
    ResamplingRandom random(std::stoull(seed));
    for (const nlohmann::json& number : expected) {
      EXPECT_EQ(random.below(1000), number.get<std::uint32_t>()) << seed;
    }
  }
}

}  // namespace
}  // namespace translate
