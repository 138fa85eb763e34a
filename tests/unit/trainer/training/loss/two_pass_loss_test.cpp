#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "support/factor_types.h"
#include "support/golden_case.h"
#include "support/thread_count.h"
#include "training/loss/fused_loss.h"
#include "training/loss/loss.h"

namespace translate::trainer {
namespace {

using testing::relative_distance;

constexpr LossSettings kRDrop{.smoothing = 0.1, .r_drop = 5.0};
constexpr LossSettings kSimCut{.smoothing = 0.1, .sim_cut = 3.0};
constexpr std::array kBothLosses = {kRDrop, kSimCut};

std::array<at::Tensor, 3> gradients(const LossInputs& inputs) {
  return {inputs.features.grad(), inputs.weight.grad(), inputs.bias.grad()};
}

LossSums in_blocks(const LossInputs& inputs, FactorType factor_type = FactorType::kFloat) {
  return projected_loss(inputs, kRDrop, LossMethod::kBlocks, factor_type);
}

/// The methods that compute gradients together with the loss.
constexpr std::array kMethodsInBlocks = {LossMethod::kBlocks, LossMethod::kFused};

/// Two predictions of each label that differ by what dropout may change.
LossInputs random_pairs(std::int64_t pairs, std::int64_t d_model, std::int64_t classes) {
  at::manual_seed(7);
  const auto features = at::randn({pairs, d_model});
  const auto other = features + 0.3 * at::randn({pairs, d_model});
  return {.features = at::cat({features, other}).requires_grad_(),
          .weight = (0.5 * at::randn({classes, d_model})).requires_grad_(),
          .bias = at::randn({classes}).requires_grad_(),
          .targets = {at::randint(classes, {pairs}, at::kLong)}};
}

void expect_close(const LossSums& ours, const LossSums& expected, double tolerance) {
  EXPECT_LE(relative_distance(ours.smoothed, expected.smoothed), tolerance);
  EXPECT_LE(relative_distance(ours.plain, expected.plain), tolerance);
  EXPECT_LE(relative_distance(ours.divergence, expected.divergence), tolerance);
  EXPECT_LE(relative_distance(ours.minimised.detach(), expected.minimised.detach()), tolerance);
}

TEST(RDrop, TheDefinitionIsThePapers) {
  const auto logits = at::tensor({1.0, 2.0, 0.5, 0.2, 1.0, 3.0}, at::kDouble).view({2, 3});  // two rows of one label
  const auto labels = at::zeros({1}, at::kLong);
  const auto log_p = at::log_softmax(logits[0], 0);
  const auto log_q = at::log_softmax(logits[1], 0);
  const auto one_way = (log_p.exp() * (log_p - log_q)).sum().item<double>();
  const auto other_way = (log_q.exp() * (log_q - log_p)).sum().item<double>();
  const auto sums = two_pass_loss(logits, {labels}, {.smoothing = 0.0, .r_drop = 4.0});
  const double likelihoods = -(log_p[0] + log_q[0]).item<double>();
  EXPECT_NEAR(sums.plain.item<double>(), likelihoods / 2, 1e-5);
  EXPECT_NEAR(sums.divergence.item<double>(), (one_way + other_way) / 2, 1e-5);
  // Liang et al. 2021, equation 3: the likelihoods of both, and alpha / 2 times both divergences. Here half of that.
  EXPECT_NEAR(sums.minimised.item<double>(), (likelihoods + 4.0 / 2 * (one_way + other_way)) / 2, 1e-5);
}

// Gao et al. 2022, equation 3: the cross entropy of the plain pass alone, and alpha times KL(plain, cut), of which both
// get gradients.
TEST(SimCut, TheDefinitionIsThePapers) {
  const auto logits =
      at::tensor({1.0, 2.0, 0.5, 0.2, 1.0, 3.0}, at::kDouble).view({2, 3}).requires_grad_();  // of one label
  const auto labels = at::zeros({1}, at::kLong);
  two_pass_loss(logits, {labels}, {.smoothing = 0.0, .sim_cut = 3.0}).minimised.backward();
  const auto exact = logits.detach().clone().requires_grad_();
  const auto log_p = at::log_softmax(exact[0], 0);
  const auto log_q = at::log_softmax(exact[1], 0);
  (-log_p[0] + 3.0 * (log_p.exp() * (log_p - log_q)).sum()).backward();
  EXPECT_LE(relative_distance(logits.grad(), exact.grad()), 1e-6);
}

class ProjectedTwoPassLoss : public ::testing::TestWithParam<std::tuple<LossMethod, std::int64_t, std::int64_t>> {};

TEST_P(ProjectedTwoPassLoss, ValuesAndGradientsAreThoseOfTheDefinition) {
  const auto [method, pairs, classes] = GetParam();
  for (const auto& settings : kBothLosses) {
    const auto ours = random_pairs(pairs, 24, classes);
    const auto exact = random_pairs(pairs, 24, classes);
    const auto sums = projected_loss(ours, settings, method);
    const auto logits = at::linear(exact.features, exact.weight, exact.bias);
    const auto expected = two_pass_loss(logits, exact.targets, settings);
    expect_close(sums, expected, 1e-5);
    EXPECT_FALSE(sums.smoothed.requires_grad() || sums.plain.requires_grad() || sums.divergence.requires_grad());
    (sums.minimised * 0.37).backward();
    (expected.minimised * 0.37).backward();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(relative_distance(gradients(ours)[i], gradients(exact)[i]), 2e-5) << i;
    }
  }
}

// Pairs below, at and above a chunk and a block; class counts off and on the vector width.
INSTANTIATE_TEST_SUITE_P(Shapes, ProjectedTwoPassLoss,
                         ::testing::Combine(::testing::Values(LossMethod::kOperators, LossMethod::kBlocks,
                                                              LossMethod::kFused),
                                            ::testing::Values(1, 24, 700), ::testing::Values(5, 48, 9003)));

TEST(RDrop, WithoutDivergenceIsTheMeanOfTwoLosses) {
  const auto inputs = random_pairs(60, 16, 90);
  auto twice = inputs;
  twice.targets.labels = at::cat({inputs.targets.labels, inputs.targets.labels});
  for (const auto method : kMethodsInBlocks) {
    const auto sums = projected_loss(inputs, {.smoothing = 0.1, .r_drop = 0.0}, method);
    const auto both = projected_loss(twice, {.smoothing = 0.1}, method);
    EXPECT_NEAR(sums.minimised.item<double>(), 0.5 * both.smoothed.item<double>(), 1e-3);
    EXPECT_NEAR(sums.plain.item<double>(), 0.5 * both.plain.item<double>(), 1e-3);
    EXPECT_GT(sums.divergence.item<double>(), 0.0);
  }
}

TEST(RDrop, EqualPassesHaveTheLossAndTheGradientOfOne) {
  for (const auto method : kMethodsInBlocks) {
    auto once = random_pairs(60, 16, 90);
    auto twice = random_pairs(60, 16, 90);
    once.features = once.features.detach().slice(0, 0, 60).clone().requires_grad_();
    twice.features = at::cat({once.features, once.features}).detach().requires_grad_();
    const auto sums = projected_loss(twice, kRDrop, method);
    EXPECT_NEAR(sums.divergence.item<double>(), 0.0, 1e-4);
    sums.minimised.backward();
    projected_loss(once, {.smoothing = 0.1}, method).minimised.backward();
    EXPECT_LE(relative_distance(twice.weight.grad(), once.weight.grad()), 1e-5);
    EXPECT_LE(relative_distance(twice.bias.grad(), once.bias.grad()), 1e-5);
  }
}

TEST(RDrop, Bf16ProductsStayNearFp32) {
  const auto exact = random_pairs(200, 64, 300);
  const auto rounded = random_pairs(200, 64, 300);
  in_blocks(exact).minimised.backward();
  in_blocks(rounded, FactorType::kBfloat16).minimised.backward();
  EXPECT_EQ(rounded.weight.grad().scalar_type(), at::kFloat);
  EXPECT_GT(relative_distance(rounded.weight.grad(), exact.weight.grad()), 1e-6);  // it was bf16 indeed
  EXPECT_LE(relative_distance(rounded.weight.grad(), exact.weight.grad()), 5e-2);
  EXPECT_LE(relative_distance(rounded.features.grad(), exact.features.grad()), 5e-2);
}

TEST(FusedTwoPassLoss, DoesNotDependOnTheNumberOfThreads) {
  const auto given = random_pairs(700, 24, 9000);
  const at::NoGradGuard no_grad;
  for (const auto factor_type : testing::kFactorTypes) {
    const auto compute = [&] { return fused_loss(given, kRDrop, factor_type); };
    const auto alone = testing::on_threads(1, compute);
    const auto together = testing::on_threads(5, compute);
    EXPECT_TRUE(at::equal(alone.features, together.features));
    EXPECT_TRUE(at::equal(alone.weight, together.weight));
    EXPECT_TRUE(at::equal(alone.bias, together.bias));
    EXPECT_EQ(alone.sums.minimised.item<double>(), together.sums.minimised.item<double>());
  }
}

TEST(FusedTwoPassLoss, InBf16IsTheSameWithinItsRounding) {
  const auto given = random_pairs(301, 64, 700);
  const at::NoGradGuard no_grad;
  for (const auto& settings : kBothLosses) {
    const auto exact = fused_loss(given, settings, FactorType::kFloat);
    const auto rounded = fused_loss(given, settings, FactorType::kBfloat16);
    EXPECT_LE(relative_distance(rounded.sums.minimised, exact.sums.minimised), 1e-2);
    EXPECT_GT(relative_distance(rounded.weight, exact.weight), 1e-6) << "it was not in bf16";
    EXPECT_LE(relative_distance(rounded.weight, exact.weight), 3e-2);
    EXPECT_LE(relative_distance(rounded.bias, exact.bias), 3e-2);
    EXPECT_LE(relative_distance(rounded.features, exact.features), 3e-2);
  }
}

TEST(FusedTwoPassLoss, DoesNotHideNaN) {
  auto given = random_pairs(70, 16, 40);
  const at::NoGradGuard no_grad;
  given.features[3][5] = std::numeric_limits<double>::quiet_NaN();
  const auto result = fused_loss(given, kRDrop);
  EXPECT_FALSE(std::isfinite(result.sums.plain.item<double>()));
  EXPECT_FALSE(at::isfinite(result.weight).all().item<bool>());
  EXPECT_TRUE(at::isfinite(result.features[2]).all().item<bool>());
}

}  // namespace
}  // namespace translate::trainer
