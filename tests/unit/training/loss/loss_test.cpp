#include "training/loss/loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/golden_case.h"
#include "tensors/device.h"

namespace translate {
namespace {

using testing::relative_distance;

struct Problem {
  at::Tensor features;
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor labels;
};

Problem random_problem(std::int64_t rows, std::int64_t d_model, std::int64_t classes) {
  at::manual_seed(7);
  return {.features = at::randn({rows, d_model}).requires_grad_(),
          .weight = at::randn({classes, d_model}).requires_grad_(),
          .bias = at::randn({classes}).requires_grad_(),
          .labels = at::randint(classes, {rows}, at::kLong)};
}

/// ATen's own smoothed cross entropy: mean -> sum.
at::Tensor library_loss(const Problem& problem, double smoothing) {
  return at::cross_entropy_loss(at::linear(problem.features, problem.weight, problem.bias), problem.labels, {},
                                at::Reduction::Sum, /*ignore_index=*/-100, smoothing);
}

class ProjectedLoss : public ::testing::TestWithParam<std::tuple<std::int64_t, std::int64_t, double>> {};

TEST_P(ProjectedLoss, ValuesAndGradientsEqualTheLibrarys) {
  const auto [rows, classes, smoothing] = GetParam();
  const auto ours = random_problem(rows, 24, classes);
  const auto library = random_problem(rows, 24, classes);
  const auto sums = projected_cross_entropy(ours.features, ours.weight, ours.bias, ours.labels, smoothing);
  const auto expected = library_loss(library, smoothing);
  EXPECT_LE(relative_distance(sums.smoothed.detach(), expected.detach()), 1e-5);
  EXPECT_LE(relative_distance(sums.plain, library_loss(library, 0.0).detach()), 1e-5);
  (sums.smoothed * 0.37).backward();
  (expected * 0.37).backward();
  EXPECT_LE(relative_distance(ours.features.grad(), library.features.grad()), 1e-5);
  EXPECT_LE(relative_distance(ours.weight.grad(), library.weight.grad()), 1e-5);
  EXPECT_LE(relative_distance(ours.bias.grad(), library.bias.grad()), 1e-5);
}

// Row counts below, at and above a block; class counts off and on the vector width.
INSTANTIATE_TEST_SUITE_P(Shapes, ProjectedLoss,
                         ::testing::Combine(::testing::Values(1, 7, 1500), ::testing::Values(5, 48, 1003),
                                            ::testing::Values(0.0, 0.1)));

TEST(Loss, PlainOperatorsAgreeWithTheBlockedOnes) {
  const auto problem = random_problem(300, 16, 777);
  const auto blocked =
      projected_cross_entropy(problem.features, problem.weight, problem.bias, problem.labels, /*smoothing=*/0.1);
  const auto plain =
      cross_entropy(at::linear(problem.features, problem.weight, problem.bias), problem.labels, /*smoothing=*/0.1);
  EXPECT_LE(relative_distance(blocked.smoothed.detach(), plain.smoothed.detach()), 1e-6);
  EXPECT_LE(relative_distance(blocked.plain, plain.plain), 1e-6);
}

TEST(Loss, IsTheSameWithoutGradients) {
  const auto problem = random_problem(130, 16, 90);
  const auto with = projected_cross_entropy(problem.features, problem.weight, problem.bias, problem.labels, 0.1);
  const at::NoGradGuard no_grad;
  const auto without = projected_cross_entropy(problem.features, problem.weight, problem.bias, problem.labels, 0.1);
  EXPECT_EQ(with.smoothed.item<float>(), without.smoothed.item<float>());
  EXPECT_EQ(with.plain.item<double>(), without.plain.item<double>());
}

TEST(Loss, SurvivesExtremeLogits) {
  auto weight = at::eye(3);
  const auto features = at::tensor({1000.0F, -1000.0F, 0.0F, -3e4F, 3e4F, 3e4F}).view({2, 3}).requires_grad_();
  const auto labels = at::tensor({std::int64_t{1}, std::int64_t{2}}, at::kLong);
  const auto sums = projected_cross_entropy(features, weight, at::zeros({3}), labels, /*smoothing=*/0.0);
  EXPECT_NEAR(sums.plain.item<double>(), 2000.0 + std::log(2.0), 1e-3);
  sums.smoothed.backward();
  EXPECT_TRUE(features.grad().isfinite().all().item<bool>());
}

TEST(Loss, OfADoubledBatchIsTwiceTheLoss) {
  const auto problem = random_problem(40, 16, 50);
  const auto once = projected_cross_entropy(problem.features, problem.weight, problem.bias, problem.labels, 0.1);
  const auto twice = projected_cross_entropy(at::cat({problem.features, problem.features}), problem.weight,
                                             problem.bias, at::cat({problem.labels, problem.labels}), 0.1);
  EXPECT_NEAR(twice.smoothed.item<double>(), 2.0 * once.smoothed.item<double>(), 1e-3);
}

TEST(Loss, Bf16ProductsStayNearFp32) {
  const auto exact = random_problem(200, 64, 300);
  const auto rounded = random_problem(200, 64, 300);
  projected_cross_entropy(exact.features, exact.weight, exact.bias, exact.labels, 0.1).smoothed.backward();
  LossSums sums;
  {
    const AutocastGuard autocast(c10::kCPU, Precision::kBf16);
    sums = projected_cross_entropy(rounded.features, rounded.weight, rounded.bias, rounded.labels, 0.1);
  }
  sums.smoothed.backward();
  EXPECT_EQ(rounded.weight.grad().scalar_type(), at::kFloat);
  EXPECT_GT(relative_distance(rounded.weight.grad(), exact.weight.grad()), 1e-6);  // it was bf16 indeed
  EXPECT_LE(relative_distance(rounded.weight.grad(), exact.weight.grad()), 3e-2);
  EXPECT_LE(relative_distance(rounded.features.grad(), exact.features.grad()), 3e-2);
}

}  // namespace
}  // namespace translate
