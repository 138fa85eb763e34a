#include "kernels/dropout_mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "support/thread_count.h"

namespace translate {
namespace {

constexpr std::size_t kCount = 1 << 20;

std::vector<float> mask_of(double probability, std::uint64_t key, std::size_t count = kCount) {
  std::vector<float> mask(count, -1.0F);
  fill_whole_mask({.probability = probability, .key = key}, mask);
  return mask;
}

double share_dropped(const std::vector<float>& mask) {
  return static_cast<double>(std::count(mask.begin(), mask.end(), 0.0F)) / static_cast<double>(mask.size());
}

TEST(DropoutMask, DropsTheShareAskedForAndScalesTheRest) {
  for (const double probability : {0.01, 0.1, 0.3, 0.5, 0.9}) {
    const auto mask = mask_of(probability, 42);
    const auto spread = std::sqrt(probability * (1.0 - probability) / static_cast<double>(kCount));
    EXPECT_NEAR(share_dropped(mask), probability, 5.0 * spread);
    const auto scale = static_cast<float>(1.0 / (1.0 - probability));
    EXPECT_TRUE(std::all_of(mask.begin(), mask.end(), [&](float value) { return value == 0.0F || value == scale; }));
  }
}

TEST(DropoutMask, ElementsAreIndependentOfTheirNeighboursAndOfOtherKeys) {
  const auto first = mask_of(0.5, 1);
  const auto second = mask_of(0.5, 2);
  const auto agreement = [](const std::vector<float>& a, const std::vector<float>& b, std::size_t lag) {
    std::size_t same = 0;
    for (std::size_t i = 0; i + lag < kCount; ++i) {
      same += (a[i] == 0.0F) == (b[i + lag] == 0.0F) ? 1U : 0U;
    }
    return static_cast<double>(same) / static_cast<double>(kCount - lag);
  };
  const double tolerance = 5.0 * 0.5 / std::sqrt(static_cast<double>(kCount));
  EXPECT_NEAR(agreement(first, second, 0), 0.5, tolerance);
  for (const std::size_t lag : {1, 2, 3, 4, 7, 8, 16, 32, 64, 128, 512, 4096}) {
    EXPECT_NEAR(agreement(first, first, lag), 0.5, tolerance) << lag;
  }
  EXPECT_NEAR(agreement(first, mask_of(0.5, std::uint64_t{1} << 32), 0), 0.5,
              tolerance);  // the key's upper half counts
}

TEST(DropoutMask, IsTheSameAtAnyNumberOfThreads) {
  const auto compute = [] { return mask_of(0.3, 9); };
  const auto one = testing::on_threads(1, compute);
  const auto three = testing::on_threads(3, compute);
  EXPECT_EQ(one, three);
}

TEST(DropoutMask, PartsOfAMaskEqualTheWholeMask) {
  const DropoutMask dropout{.probability = 0.3, .key = 21};
  std::vector<float> whole(1000);
  fill_whole_mask(dropout, whole);
  std::vector<float> values(1000, 2.0F);
  const std::span<float> all(values);
  apply_mask(dropout, 0, all.first(123));
  apply_mask(dropout, 123, all.subspan(123));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(values[i], 2.0F * whole[i]);
  }
  std::vector<float> part(300);
  fill_whole_mask(dropout, part, /*first=*/123);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 123));
  apply_mask({}, 0, all);  // no dropout: nothing changes
  EXPECT_EQ(values[0], 2.0F * whole[0]);
}

TEST(DropoutMask, CountsModulo32Bits) {
  const DropoutMask dropout{.probability = 0.3, .key = 21};
  constexpr std::int64_t kAll = std::int64_t{1} << 32;
  std::vector<float> beginning(1000);
  fill_whole_mask(dropout, beginning);
  std::vector<float> around(1500);  // 500 elements before the end, and the first 1000 again
  fill_whole_mask(dropout, around, kAll - 500);
  EXPECT_TRUE(std::equal(beginning.begin(), beginning.end(), around.begin() + 500));
  std::vector<float> values(150, 1.0F);
  apply_mask(dropout, 3 * kAll - 500, values, /*step=*/10);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], around[10 * i]) << i;
  }
}

}  // namespace
}  // namespace translate
