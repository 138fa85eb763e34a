#include "translate/model/dropout.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace translate {
namespace {

constexpr std::size_t kCount = 1 << 20;

std::vector<float> mask_of(double probability, std::uint64_t key, std::size_t count = kCount) {
  std::vector<float> mask(count, -1.0F);
  fill_dropout_mask(mask, probability, key);
  return mask;
}

double share_dropped(const std::vector<float>& mask) {
  return static_cast<double>(std::count(mask.begin(), mask.end(), 0.0F)) / static_cast<double>(mask.size());
}

TEST(Dropout, DropsTheShareAskedForAndScalesTheRest) {
  for (const double probability : {0.01, 0.1, 0.3, 0.5, 0.9}) {
    const auto mask = mask_of(probability, 42);
    const auto spread = std::sqrt(probability * (1.0 - probability) / static_cast<double>(kCount));
    EXPECT_NEAR(share_dropped(mask), probability, 5.0 * spread);
    const auto scale = static_cast<float>(1.0 / (1.0 - probability));
    EXPECT_TRUE(std::all_of(mask.begin(), mask.end(), [&](float value) { return value == 0.0F || value == scale; }));
  }
}

TEST(Dropout, ElementsAreIndependentOfTheirNeighboursAndOfOtherKeys) {
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

TEST(Dropout, IsTheSameAtAnyNumberOfThreads) {
  const auto threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto one = mask_of(0.3, 9);
  at::set_num_threads(3);
  const auto three = mask_of(0.3, 9);
  at::set_num_threads(threads);
  EXPECT_EQ(one, three);
}

TEST(Dropout, FollowsTheDefaultGeneratorsSeed) {
  Dropout dropout(0.4);
  const auto x = at::ones({100, 33});
  at::manual_seed(5);
  const auto first = dropout(x);
  const auto second = dropout(x);
  at::manual_seed(5);
  EXPECT_TRUE(at::equal(dropout(x), first));
  EXPECT_FALSE(at::equal(first, second));
}

TEST(Dropout, GradientIsTheMask) {
  Dropout dropout(0.4);
  const auto x = at::ones({50, 20}).requires_grad_();
  const auto y = dropout(x);
  y.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), y.detach()));
}

TEST(Dropout, IsTheIdentityInEvaluationAndAtZero) {
  const auto x = at::randn({4, 4});
  Dropout off(0.0);
  EXPECT_TRUE(at::equal(off(x), x));
  Dropout on(0.5);
  on->eval();
  EXPECT_TRUE(at::equal(on(x), x));
  EXPECT_FALSE(on->is_active());
}

TEST(Dropout, KeepsTheTypeOfItsInput) {
  Dropout dropout(0.5);
  EXPECT_EQ(dropout(at::ones({8}, at::kBFloat16)).scalar_type(), at::kBFloat16);
}

}  // namespace
}  // namespace translate
