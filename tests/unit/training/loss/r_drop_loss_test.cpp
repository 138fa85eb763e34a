#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "core/processor.h"
#include "model/modules/execution_context.h"
#include "support/factor_types.h"
#include "support/golden_case.h"
#include "support/thread_count.h"
#include "tensors/device.h"
#include "training/loss/r_drop.h"

namespace translate {
namespace {

using testing::relative_distance;

constexpr RDropSettings kSettings{.smoothing = 0.1, .alpha = 5.0};

ExecutionContext fused_if(bool fused) { return ExecutionContext::for_training(c10::kCPU, Precision::kFp32, fused); }

struct Problem {
  at::Tensor features;
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor labels;

  [[nodiscard]] LossSums projected(const RDropSettings& settings = kSettings,
                                   const ExecutionContext& context = {}) const {
    return projected_r_drop(features, weight, bias, labels, settings, context);
  }
  /// The gradients, after backward.
  [[nodiscard]] std::array<at::Tensor, 3> gradients() const { return {features.grad(), weight.grad(), bias.grad()}; }
};

/// Two predictions of each label that differ by what dropout may change.
Problem random_problem(std::int64_t pairs, std::int64_t d_model, std::int64_t classes) {
  at::manual_seed(7);
  const auto features = at::randn({pairs, d_model});
  const auto other = features + 0.3 * at::randn({pairs, d_model});
  return {.features = at::cat({features, other}).requires_grad_(),
          .weight = (0.5 * at::randn({classes, d_model})).requires_grad_(),
          .bias = at::randn({classes}).requires_grad_(),
          .labels = at::randint(classes, {pairs}, at::kLong)};
}

void expect_close(const LossSums& ours, const LossSums& expected, double tolerance) {
  EXPECT_LE(relative_distance(ours.smoothed, expected.smoothed), tolerance);
  EXPECT_LE(relative_distance(ours.plain, expected.plain), tolerance);
  EXPECT_LE(relative_distance(ours.divergence, expected.divergence), tolerance);
  EXPECT_LE(relative_distance(ours.regularised.detach(), expected.regularised.detach()), tolerance);
}

TEST(RDrop, TheDefinitionIsThePapers) {
  const auto logits = at::tensor({1.0, 2.0, 0.5, 0.2, 1.0, 3.0}, at::kDouble).view({2, 3});  // two rows of one label
  const auto labels = at::zeros({1}, at::kLong);
  const auto log_p = at::log_softmax(logits[0], 0);
  const auto log_q = at::log_softmax(logits[1], 0);
  const auto one_way = (log_p.exp() * (log_p - log_q)).sum().item<double>();
  const auto other_way = (log_q.exp() * (log_q - log_p)).sum().item<double>();
  const auto sums = r_drop(logits, labels, {.smoothing = 0.0, .alpha = 4.0});
  const double likelihoods = -(log_p[0] + log_q[0]).item<double>();
  EXPECT_NEAR(sums.plain.item<double>(), likelihoods / 2, 1e-5);
  EXPECT_NEAR(sums.divergence.item<double>(), (one_way + other_way) / 2, 1e-5);
  // Liang et al. 2021, equation 3: the likelihoods of both, and alpha / 2 times both divergences. Here half of that.
  EXPECT_NEAR(sums.regularised.item<double>(), (likelihoods + 4.0 / 2 * (one_way + other_way)) / 2, 1e-5);
}

class ProjectedRDrop : public ::testing::TestWithParam<std::tuple<bool, std::int64_t, std::int64_t>> {};

TEST_P(ProjectedRDrop, ValuesAndGradientsAreThoseOfTheDefinition) {
  const auto [fused, pairs, classes] = GetParam();
  const auto context = fused_if(fused);
  const auto ours = random_problem(pairs, 24, classes);
  const auto exact = random_problem(pairs, 24, classes);
  const auto sums = ours.projected(kSettings, context);
  const auto expected = r_drop(at::linear(exact.features, exact.weight, exact.bias), exact.labels, kSettings);
  expect_close(sums, expected, 1e-5);
  (sums.minimised() * 0.37).backward();
  (expected.minimised() * 0.37).backward();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(relative_distance(ours.gradients()[i], exact.gradients()[i]), 2e-5) << i;
  }
}

// Pairs below, at and above a chunk and a block; class counts off and on the vector width.
INSTANTIATE_TEST_SUITE_P(Shapes, ProjectedRDrop,
                         ::testing::Combine(::testing::Bool(), ::testing::Values(1, 24, 700),
                                            ::testing::Values(5, 48, 9003)));

TEST(RDrop, WithoutDivergenceIsTheMeanOfTwoLosses) {
  const auto problem = random_problem(60, 16, 90);
  const auto sums = problem.projected({.smoothing = 0.1, .alpha = 0.0});
  const auto both = projected_cross_entropy(problem.features, problem.weight, problem.bias,
                                            at::cat({problem.labels, problem.labels}), 0.1);
  EXPECT_NEAR(sums.minimised().item<double>(), 0.5 * both.smoothed.item<double>(), 1e-3);
  EXPECT_NEAR(sums.plain.item<double>(), 0.5 * both.plain.item<double>(), 1e-3);
  EXPECT_GT(sums.divergence.item<double>(), 0.0);
}

TEST(RDrop, EqualPassesHaveTheLossAndTheGradientOfOne) {
  for (const bool fused : {false, true}) {
    const auto context = fused_if(fused);
    const auto once = random_problem(60, 16, 90);
    const auto twice = random_problem(60, 16, 90);
    const auto first = once.features.detach().slice(0, 0, 60).clone().requires_grad_();
    const auto both = at::cat({first, first}).detach().requires_grad_();
    const auto sums = projected_r_drop(both, twice.weight, twice.bias, twice.labels, kSettings, context);
    const auto alone = projected_cross_entropy(first, once.weight, once.bias, once.labels, 0.1, context);
    EXPECT_NEAR(sums.divergence.item<double>(), 0.0, 1e-4);
    sums.minimised().backward();
    alone.smoothed.backward();
    EXPECT_LE(relative_distance(twice.weight.grad(), once.weight.grad()), 1e-5);
    EXPECT_LE(relative_distance(twice.bias.grad(), once.bias.grad()), 1e-5);
  }
}

TEST(RDrop, Bf16ProductsStayNearFp32) {
  const auto exact = random_problem(200, 64, 300);
  const auto rounded = random_problem(200, 64, 300);
  exact.projected().minimised().backward();
  LossSums sums;
  {
    const AutocastGuard autocast(c10::kCPU, Precision::kBf16);
    sums = rounded.projected();
  }
  sums.minimised().backward();
  EXPECT_EQ(rounded.weight.grad().scalar_type(), at::kFloat);
  EXPECT_GT(relative_distance(rounded.weight.grad(), exact.weight.grad()), 1e-6);  // it was bf16 indeed
  EXPECT_LE(relative_distance(rounded.weight.grad(), exact.weight.grad()), 5e-2);
  EXPECT_LE(relative_distance(rounded.features.grad(), exact.features.grad()), 5e-2);
}

TEST(FusedRDrop, DoesNotDependOnTheNumberOfThreads) {
  const auto given = random_problem(700, 24, 9000);
  const at::NoGradGuard no_grad;
  for (const auto products : testing::factor_types()) {
    const auto compute = [&] {
      return fused_r_drop(given.features, given.weight, given.bias, given.labels, kSettings, products);
    };
    const auto alone = testing::on_threads(1, compute);
    const auto together = testing::on_threads(5, compute);
    EXPECT_TRUE(at::equal(alone.features, together.features));
    EXPECT_TRUE(at::equal(alone.weight, together.weight));
    EXPECT_TRUE(at::equal(alone.bias, together.bias));
    EXPECT_EQ(alone.sums.regularised.item<double>(), together.sums.regularised.item<double>());
  }
}

TEST(FusedRDrop, InBf16IsTheSameWithinItsRounding) {
  if (!has_bf16_kernels()) {
    GTEST_SKIP() << "this processor has no bf16 arithmetic";
  }
  const auto given = random_problem(301, 64, 700);
  const at::NoGradGuard no_grad;
  const auto loss = [&](FactorType products) {
    return fused_r_drop(given.features, given.weight, given.bias, given.labels, kSettings, products);
  };
  const auto exact = loss(FactorType::kFloat);
  const auto rounded = loss(FactorType::kBfloat16);
  EXPECT_LE(relative_distance(rounded.sums.regularised, exact.sums.regularised), 1e-2);
  EXPECT_GT(relative_distance(rounded.weight, exact.weight), 1e-6) << "it was not in bf16";
  EXPECT_LE(relative_distance(rounded.weight, exact.weight), 3e-2);
  EXPECT_LE(relative_distance(rounded.bias, exact.bias), 3e-2);
  EXPECT_LE(relative_distance(rounded.features, exact.features), 3e-2);
}

TEST(FusedRDrop, WhatIsNoNumberStaysSo) {
  if (!has_vector_kernels()) {
    GTEST_SKIP() << "this processor has no AVX2";
  }
  auto given = random_problem(70, 16, 40);
  const at::NoGradGuard no_grad;
  given.features[3][5] = std::numeric_limits<double>::quiet_NaN();
  const auto result = fused_r_drop(given.features, given.weight, given.bias, given.labels, kSettings);
  EXPECT_FALSE(std::isfinite(result.sums.plain.item<double>()));
  EXPECT_FALSE(at::isfinite(result.weight).all().item<bool>());
  EXPECT_TRUE(at::isfinite(result.features[2]).all().item<bool>());
}

}  // namespace
}  // namespace translate
