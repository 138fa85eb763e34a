#include "training/loss/fused_loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "support/distance.h"
#include "support/factor_types.h"
#include "support/thread_count.h"

namespace translate::trainer {
namespace {

constexpr LossSettings kSettings{.smoothing = 0.1};

LossInputs random_inputs(std::int64_t rows, std::int64_t width, std::int64_t classes) {
  at::manual_seed(7);
  return {.features = at::randn({rows, width}),
          .weight = at::randn({classes, width}),
          .bias = at::randn({classes}),
          .targets = {at::randint(classes, {rows}, at::kLong)}};
}

/// Compares fused_loss with the definition in double precision.
void expect_exact(const LossInputs& given, double loss_tolerance, double gradient_tolerance) {
  const auto classes = static_cast<double>(given.weight.size(0));
  auto exact = given;
  for (auto* tensor : {&exact.features, &exact.weight, &exact.bias}) {
    *tensor = tensor->to(at::kDouble).requires_grad_();
  }
  const auto logits = at::linear(exact.features, exact.weight, exact.bias);
  const auto log_probabilities = at::log_softmax(logits, 1);
  const auto plain = -log_probabilities.gather(1, given.targets.labels.unsqueeze(1)).sum();
  const auto smoothed = plain * 0.9 - log_probabilities.sum() * (0.1 / classes);
  smoothed.backward();
  const auto result = fused_loss(given, kSettings);
  EXPECT_LT(testing::relative_distance(result.sums.smoothed, smoothed.detach()), loss_tolerance);
  EXPECT_LT(testing::relative_distance(result.sums.plain, plain.detach()), loss_tolerance);
  EXPECT_LT(testing::relative_distance(result.features, exact.features.grad()), gradient_tolerance);
  EXPECT_LT(testing::relative_distance(result.weight, exact.weight.grad()), gradient_tolerance);
  EXPECT_LT(testing::relative_distance(result.bias, exact.bias.grad()), gradient_tolerance);
}

TEST(FusedLoss, IsTheLossOfItsDefinitionAndHasItsGradients) {
  for (const auto& [rows, width, classes] : {std::array<std::int64_t, 3>{500, 32, 1000}, {1, 7, 3}, {300, 40, 20011}}) {
    expect_exact(random_inputs(rows, width, classes), 1e-6, 3e-6);
  }
}

TEST(FusedLoss, IsExactForLabelsWithTinyProbabilities) {
  auto given = random_inputs(130, 24, 300);
  given.features.slice(0, 3, 9).mul_(40.0);  // logits hundreds apart
  given.features.slice(0, 100, 101).mul_(1000.0);
  expect_exact(given, 1e-6, 1e-4);  // such logits are rounded to 1e-4 or so
}

TEST(FusedLoss, DoesNotHideNaNOrInfinity) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto given = random_inputs(70, 16, 40);
    given.features[3][5] = bad;
    const auto result = fused_loss(given, kSettings);
    EXPECT_FALSE(std::isfinite(result.sums.plain.item<double>()));
    EXPECT_FALSE(at::isfinite(result.weight).all().item<bool>());
    EXPECT_TRUE(at::isfinite(result.features[2]).all().item<bool>());
  }
}

TEST(FusedLoss, InBf16IsTheSameWithinItsRounding) {
  for (const auto& [rows, width, classes] : {std::array<std::int64_t, 3>{501, 64, 1000}, {1, 7, 3}, {300, 520, 2011}}) {
    auto given = random_inputs(rows, width, classes);
    given.weight /= std::sqrt(static_cast<double>(width));
    const auto loss = [&](FactorType factor_type) { return fused_loss(given, kSettings, factor_type); };
    const auto exact = loss(FactorType::kFloat);
    const auto rounded = loss(FactorType::kBfloat16);
    EXPECT_LT(testing::relative_distance(rounded.sums.smoothed, exact.sums.smoothed), 3e-3);
    EXPECT_LT(testing::relative_distance(rounded.sums.plain, exact.sums.plain), 3e-3);
    EXPECT_LT(testing::relative_distance(rounded.features, exact.features), 1e-2);
    EXPECT_LT(testing::relative_distance(rounded.weight, exact.weight), 1e-2);
    EXPECT_LT(testing::relative_distance(rounded.bias, exact.bias), 1e-2);
    EXPECT_GT(testing::relative_distance(rounded.weight, exact.weight), 1e-6) << "it was not in bf16";
  }
}

TEST(FusedLoss, DoesNotDependOnTheNumberOfThreads) {
  const auto given = random_inputs(700, 24, 9000);
  for (const auto factor_type : testing::kFactorTypes) {
    const auto compute = [&] { return fused_loss(given, kSettings, factor_type); };
    const auto alone = testing::on_threads(1, compute);
    const auto together = testing::on_threads(5, compute);
    EXPECT_TRUE(at::equal(alone.features, together.features));
    EXPECT_TRUE(at::equal(alone.weight, together.weight));
    EXPECT_TRUE(at::equal(alone.bias, together.bias));
    EXPECT_EQ(alone.sums.smoothed.item<double>(), together.sums.smoothed.item<double>());
  }
}

}  // namespace
}  // namespace translate::trainer
