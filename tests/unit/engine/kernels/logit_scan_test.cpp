#include "kernels/logit_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/error.h"

namespace translate {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> random_logits(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(3.0F, 4.0F);
  std::vector<float> logits(count);
  for (auto& logit : logits) {
    logit = normal(random);
  }
  return logits;
}

TEST(LogitScan, LogProbabilitiesAreLogSoftmax) {
  for (const std::size_t count : {1U, 5U, 63U, 64U, 65U, 8000U}) {
    auto logits = random_logits(count, static_cast<std::uint32_t>(count));
    if (count > 5) {
      logits[3] = -kInfinity;
    }
    double sum = 0.0;
    for (const float logit : logits) {
      sum += std::exp(static_cast<double>(logit));
    }
    LogitScan scan;
    scan.look(logits);
    EXPECT_EQ(scan.largest(), *std::ranges::max_element(logits));
    EXPECT_FALSE(scan.is_empty());
    for (const float logit : logits) {
      EXPECT_LE(scan.log_probability(logit), 0.0);
      if (logit > -kInfinity) {
        EXPECT_NEAR(scan.log_probability(logit), static_cast<double>(logit) - std::log(sum), 2e-6);
      }
    }
  }
}

TEST(LogitScan, ProbabilitiesAreWrittenOrAdded) {
  for (const std::size_t count : {1U, 5U, 257U, 8000U}) {
    auto logits = random_logits(count, static_cast<std::uint32_t>(count));
    if (count > 5) {
      logits[3] = -kInfinity;
    }
    LogitScan scan;
    std::vector<float> probabilities(count + 1, 7.0F);
    scan.give_probabilities(logits, /*add=*/false, probabilities);
    const auto once = probabilities;
    scan.give_probabilities(logits, /*add=*/true, probabilities);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(once[i], std::exp(scan.log_probability(logits[i])), 1e-6);
      EXPECT_FLOAT_EQ(probabilities[i], 2.0F * once[i]);
    }
    EXPECT_EQ(probabilities[count], 7.0F);
  }
  LogitScan scan;
  std::vector<float> probabilities = {0.25F, 0.75F};
  scan.give_probabilities(std::vector<float>(2, -kInfinity), /*add=*/true, probabilities);
  EXPECT_EQ(probabilities, (std::vector<float>{0.25F, 0.75F}));
  scan.give_probabilities(std::vector<float>(2, -kInfinity), /*add=*/false, probabilities);
  EXPECT_EQ(probabilities, (std::vector<float>{0.0F, 0.0F}));
}

TEST(LogitScan, KnowsTheShareOfTheLargestAtAnyScale) {
  const std::vector<float> row = {1.5F, -2.0F, 3.25F, -std::numeric_limits<float>::infinity(), 3.0F, 0.0F};
  LogitScan scan;
  scan.look(row);
  for (const float scale : {0.1F, 0.7F, 1.0F, 3.0F, 1e6F}) {
    double sum = 0.0;
    for (const float logit : row) {
      sum += std::exp(static_cast<double>(scale) * (static_cast<double>(logit) - 3.25));
    }
    EXPECT_NEAR(scan.log_share_of_largest(scale), -std::log(sum), 1e-6) << scale;
  }
}

TEST(LogitScan, NeverAboveZeroWhereOneChunkIsCertain) {
  std::vector<float> logits(1000, -90.0F);
  logits[17] = 30.0F;
  LogitScan scan;
  scan.look(logits);
  EXPECT_LE(scan.log_probability(30.0F), 0.0);
  EXPECT_GT(scan.log_probability(30.0F), -1e-6);
}

TEST(LogitScan, FindsAllThatIsLargeByRisingIndex) {
  const auto logits = random_logits(777, 4);
  LogitScan scan;
  scan.look(logits);
  for (const float least : {-100.0F, 3.0F, 9.0F, 100.0F}) {
    std::vector<std::size_t> found;
    scan.for_large(least, [&](std::size_t i, float logit) {
      EXPECT_EQ(logit, logits[i]);
      found.push_back(i);
    });
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (logits[i] >= least) {
        expected.push_back(i);
      }
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(LogitScan, FindsAThresholdThatAtLeastNLogitsReach) {
  for (const std::size_t size : {3U, 100U, 777U}) {
    const auto logits = random_logits(size, 4);
    LogitScan scan;
    scan.look(logits);
    for (const std::size_t count : {1U, 2U, 8U, 100U}) {
      const float reached = scan.reached_by(count);
      const auto those = std::ranges::count_if(logits, [&](float logit) { return logit >= reached; });
      EXPECT_GE(those, static_cast<std::ptrdiff_t>(std::min(count, size)));
    }
    EXPECT_EQ(scan.reached_by(1), scan.largest());
  }
  std::vector<float> forbidden(1000, -kInfinity);
  forbidden[5] = 1.0F;
  LogitScan scan;
  scan.look(forbidden);
  EXPECT_GT(scan.reached_by(3), -kInfinity);  // what is forbidden is not among them
}

TEST(LogitScan, EverythingMayBeForbidden) {
  const std::vector<float> logits(100, -kInfinity);
  LogitScan scan;
  scan.look(logits);
  EXPECT_TRUE(scan.is_empty());
}

TEST(LogitScan, NaNAndInfinityAreErrors) {
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), kInfinity}) {
    for (const std::size_t place : {0U, 70U, 99U}) {
      auto logits = random_logits(100, 5);
      logits[place] = wrong;
      EXPECT_THROW(LogitScan().look(logits), RuntimeError);
    }
    std::vector<float> forbidden(100, -kInfinity);
    forbidden[50] = wrong;
    EXPECT_THROW(LogitScan().look(forbidden), RuntimeError);
  }
}

TEST(LogitScan, ExponentialsAreScaledAndShifted) {
  auto logits = random_logits(500, 6);
  logits[7] = -kInfinity;
  const float largest = *std::ranges::max_element(logits);
  std::vector<float> found(logits.size());
  exponentials(logits, largest, 0.5F, found.data());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    EXPECT_NEAR(found[i], std::exp(0.5 * (static_cast<double>(logits[i]) - static_cast<double>(largest))), 1e-6);
  }
  EXPECT_EQ(found[7], 0.0F);
}

TEST(LogitScan, LogarithmsAreThoseOfTheLibrary) {
  std::vector<float> x = {1.0F, 0.5F, 0.70710677F, 0.70710683F, 1.4142135F, 2.0F, 1e-30F, 1.5e-38F, 3e38F, 0.99999994F};
  for (const float logit : random_logits(500, 7)) {
    x.push_back(std::exp(logit));
  }
  auto found = x;
  logarithms(found, 1.0F);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = std::log(static_cast<double>(x[i]));
    EXPECT_NEAR(found[i], expected, 2e-7 * std::max(1.0, std::abs(expected))) << x[i];
  }
  std::vector<float> scaled = {0.0F, 4.0F};
  logarithms(scaled, 0.25F);
  EXPECT_EQ(scaled[0], -kInfinity);
  EXPECT_EQ(scaled[1], 0.0F);
}

}  // namespace
}  // namespace translate
