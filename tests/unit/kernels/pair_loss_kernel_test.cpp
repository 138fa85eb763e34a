#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/loss_kernels.h"

namespace translate {
namespace {

std::vector<float> random_row(std::size_t size, unsigned seed, float spread = 2.0F) {
  std::mt19937 random(seed);
  std::vector<float> row(size);
  for (float& value : row) {
    value = spread * (static_cast<float>(random() % 20001) / 10000.0F - 1.0F);
  }
  return row;
}

std::vector<double> log_softmax(const std::vector<double>& row) {
  const double maximum = *std::max_element(row.begin(), row.end());
  double sum = 0.0;
  for (const double value : row) sum += std::exp(value - maximum);
  std::vector<double> result;
  for (const double value : row) result.push_back(value - maximum - std::log(sum));
  return result;
}

struct ExactLoss {
  double smoothed = 0.0;
  double plain = 0.0;
  double divergence = 0.0;
};

/// The definition, term by term.
ExactLoss exact_loss(const std::vector<double>& first, const std::vector<double>& second, std::size_t label,
                     double smoothing) {
  const auto p = log_softmax(first);
  const auto q = log_softmax(second);
  ExactLoss loss{.plain = -0.5 * (p[label] + q[label])};
  double uniform = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    uniform -= 0.5 * (p[i] + q[i]) / static_cast<double>(p.size());
    loss.divergence += 0.5 * (std::exp(p[i]) * (p[i] - q[i]) + std::exp(q[i]) * (q[i] - p[i]));
  }
  loss.smoothed = (1.0 - smoothing) * loss.plain + smoothing * uniform;
  return loss;
}

double minimised(const ExactLoss& loss, double weight) { return loss.smoothed + weight * loss.divergence; }

TEST(PairLossKernel, LossesAndGradientsAreThoseOfTheDefinition) {
  constexpr double kSmoothing = 0.1;
  for (const std::size_t size : {2U, 7U, 16U, 101U}) {
    for (const double weight : {0.0, 2.5}) {
      auto first = random_row(size, 1);
      auto second = random_row(size, 2);
      const std::vector<double> p(first.begin(), first.end());
      const std::vector<double> q(second.begin(), second.end());
      const auto label = size / 2;
      const auto exact = exact_loss(p, q, label, kSmoothing);
      const auto loss =
          pair_loss_rows(first.data(), second.data(), static_cast<std::int64_t>(size), static_cast<std::int64_t>(label),
                         {.smoothing = static_cast<float>(kSmoothing), .weight = static_cast<float>(weight)});
      EXPECT_NEAR(loss.smoothed, exact.smoothed, 1e-5);
      EXPECT_NEAR(loss.plain, exact.plain, 1e-5);
      EXPECT_NEAR(loss.divergence, exact.divergence, 1e-5);
      constexpr double kStep = 1e-5;
      for (std::size_t i = 0; i < size; ++i) {
        for (const bool of_first : {true, false}) {
          const auto at = [&](double change) {
            auto left = p;
            auto right = q;
            (of_first ? left : right)[i] += change;
            return minimised(exact_loss(left, right, label, kSmoothing), weight);
          };
          const double gradient = (at(kStep) - at(-kStep)) / (2.0 * kStep);
          EXPECT_NEAR(of_first ? first[i] : second[i], gradient, 2e-6) << i;
        }
      }
    }
  }
}

TEST(PairLossKernel, EqualPredictionsDoNotDivergeAndHaveTheGradientOfOne) {
  auto first = random_row(50, 3);
  auto second = first;
  auto third = first;
  auto fourth = first;
  const auto loss = pair_loss_rows(first.data(), second.data(), 50, 7, {.smoothing = 0.1F, .weight = 100.0F});
  EXPECT_NEAR(loss.divergence, 0.0F, 1e-7);
  pair_loss_rows(third.data(), fourth.data(), 50, 7, {.smoothing = 0.1F, .weight = 0.0F});
  EXPECT_EQ(first, second);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(first[i], third[i], 1e-6);
  }
}

TEST(PairLossKernel, SurvivesPredictionsThatRuleEachOtherOut) {
  std::vector<float> first = {500.0F, -500.0F, 0.0F};
  std::vector<float> second = {-500.0F, 500.0F, 0.0F};
  const auto loss = pair_loss_rows(first.data(), second.data(), 3, 2, {.smoothing = 0.0F, .weight = 1.0F});
  EXPECT_NEAR(loss.plain, 500.0F, 1e-3);
  EXPECT_NEAR(loss.divergence, 1000.0F, 1e-2);
  for (const auto& row : {first, second}) {
    for (const float value : row) {
      EXPECT_TRUE(std::isfinite(value));
    }
  }
}

}  // namespace
}  // namespace translate
