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
  for (const double value : row) {
    sum += std::exp(value - maximum);
  }
  std::vector<double> result;
  for (const double value : row) {
    result.push_back(value - maximum - std::log(sum));
  }
  return result;
}

constexpr Two kRDrop{.first = 0.5F, .second = 0.5F};
constexpr Two kSimCut{.first = 1.0F, .second = 0.0F};

struct ExactRows {
  double first_normaliser = 0.0;
  double second_normaliser = 0.0;
  double first_divergence = 0.0;   // KL(p, q)
  double second_divergence = 0.0;  // KL(q, p)
};

/// The definition, term by term.
ExactRows exact_rows(const std::vector<double>& first, const std::vector<double>& second) {
  const auto p = log_softmax(first);
  const auto q = log_softmax(second);
  ExactRows exact{.first_normaliser = first[0] - p[0], .second_normaliser = second[0] - q[0]};
  for (std::size_t i = 0; i < p.size(); ++i) {
    exact.first_divergence += std::exp(p[i]) * (p[i] - q[i]);
    exact.second_divergence += std::exp(q[i]) * (q[i] - p[i]);
  }
  return exact;
}

double divergence(const ExactRows& rows, Two shares) {
  return shares.first * rows.first_divergence + shares.second * rows.second_divergence;
}

double minimised(const ExactRows& rows, const TwoPassFactors& factors) {
  return factors.shares.first * rows.first_normaliser + factors.shares.second * rows.second_normaliser +
         factors.weight * divergence(rows, factors.shares);
}

class TwoPassRowsTest : public ::testing::TestWithParam<Two> {};

TEST_P(TwoPassRowsTest, NormalisersDivergenceAndGradientsAreThoseOfTheDefinition) {
  for (const std::size_t size : {2U, 7U, 16U, 101U}) {
    for (const float weight : {0.0F, 2.5F}) {
      const TwoPassFactors factors{.shares = GetParam(), .weight = weight};
      auto first = random_row(size, 1);
      auto second = random_row(size, 2);
      const std::vector<double> p(first.begin(), first.end());
      const std::vector<double> q(second.begin(), second.end());
      const auto exact = exact_rows(p, q);
      const auto rows = two_pass_rows(first.data(), second.data(), static_cast<std::int64_t>(size), factors);
      EXPECT_NEAR(rows.normaliser.first, exact.first_normaliser, 1e-5);
      EXPECT_NEAR(rows.normaliser.second, exact.second_normaliser, 1e-5);
      EXPECT_NEAR(rows.divergence, divergence(exact, factors.shares), 1e-5);
      constexpr double kStep = 1e-5;
      for (std::size_t i = 0; i < size; ++i) {
        for (const bool of_first : {true, false}) {
          const auto at = [&](double change) {
            auto left = p;
            auto right = q;
            (of_first ? left : right)[i] += change;
            return minimised(exact_rows(left, right), factors);
          };
          const double gradient = (at(kStep) - at(-kStep)) / (2.0 * kStep);
          EXPECT_NEAR(of_first ? first[i] : second[i], gradient, 4e-6) << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shares, TwoPassRowsTest,
                         ::testing::Values(kRDrop, kSimCut, Two{.first = 0.25F, .second = 0.75F}));

TEST(TwoPassRows, EqualPredictionsDoNotDivergeAndHaveTheGradientOfOne) {
  auto first = random_row(50, 3);
  auto second = first;
  auto third = first;
  auto fourth = first;
  const auto rows = two_pass_rows(first.data(), second.data(), 50, {.shares = kRDrop, .weight = 100.0F});
  EXPECT_NEAR(rows.divergence, 0.0F, 1e-7);
  two_pass_rows(third.data(), fourth.data(), 50, {.shares = kRDrop, .weight = 0.0F});
  EXPECT_EQ(first, second);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(first[i], third[i], 1e-6);
  }
}

TEST(TwoPassRows, IsFiniteForOppositePredictions) {
  std::vector<float> first = {500.0F, -500.0F, 0.0F};
  std::vector<float> second = {-500.0F, 500.0F, 0.0F};
  const auto rows = two_pass_rows(first.data(), second.data(), 3, {.shares = kRDrop, .weight = 1.0F});
  EXPECT_NEAR(rows.normaliser.first, 500.0F, 1e-3);
  EXPECT_NEAR(rows.normaliser.second, 500.0F, 1e-3);
  EXPECT_NEAR(rows.divergence, 1000.0F, 1e-2);
  for (const auto& row : {first, second}) {
    for (const float value : row) {
      EXPECT_TRUE(std::isfinite(value));
    }
  }
}

}  // namespace
}  // namespace translate
