#include "training/loss/loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/golden_case.h"

namespace translate::trainer {
namespace {

using testing::relative_distance;

LossInputs trained_inputs(std::int64_t rows, std::int64_t d_model, std::int64_t classes) {
  at::manual_seed(7);
  return {.features = at::randn({rows, d_model}).requires_grad_(),
          .weight = at::randn({classes, d_model}).requires_grad_(),
          .bias = at::randn({classes}).requires_grad_(),
          .targets = {at::randint(classes, {rows}, at::kLong)}};
}

LossSums in_blocks(const LossInputs& inputs, double smoothing, FactorType factor_type = FactorType::kFloat) {
  return projected_loss(inputs, {.smoothing = smoothing}, LossMethod::kBlocks, factor_type);
}

/// ATen's own smoothed cross entropy: mean -> sum.
at::Tensor library_loss(const LossInputs& inputs, double smoothing) {
  return at::cross_entropy_loss(at::linear(inputs.features, inputs.weight, inputs.bias), inputs.targets.labels, {},
                                at::Reduction::Sum, /*ignore_index=*/-100, smoothing);
}

using Shape = std::tuple<LossMethod, std::int64_t, std::int64_t, double>;
class ProjectedLoss : public ::testing::TestWithParam<Shape> {};

TEST_P(ProjectedLoss, ValuesAndGradientsEqualTheLibrarys) {
  const auto [method, rows, classes, smoothing] = GetParam();
  const auto ours = trained_inputs(rows, 24, classes);
  const auto library = trained_inputs(rows, 24, classes);
  const auto sums = projected_loss(ours, {.smoothing = smoothing}, method);
  const auto expected = library_loss(library, smoothing);
  EXPECT_LE(relative_distance(sums.smoothed, expected.detach()), 1e-5);
  EXPECT_LE(relative_distance(sums.minimised.detach(), expected.detach()), 1e-5);
  EXPECT_LE(relative_distance(sums.plain, library_loss(library, 0.0).detach()), 1e-5);
  EXPECT_FALSE(sums.smoothed.requires_grad() || sums.plain.requires_grad() || sums.divergence.defined());
  (sums.minimised * 0.37).backward();
  (expected * 0.37).backward();
  EXPECT_LE(relative_distance(ours.features.grad(), library.features.grad()), 1e-5);
  EXPECT_LE(relative_distance(ours.weight.grad(), library.weight.grad()), 1e-5);
  // With few classes, the sums over many rows nearly cancel.
  EXPECT_LE(relative_distance(ours.bias.grad(), library.bias.grad()), 2e-5);
}

// Row counts below, at and above a block; class counts off and on the vector width.
INSTANTIATE_TEST_SUITE_P(
    Shapes, ProjectedLoss,
    ::testing::Combine(::testing::Values(LossMethod::kOperators, LossMethod::kBlocks, LossMethod::kFused),
                       ::testing::Values(1, 7, 1500), ::testing::Values(5, 48, 1003), ::testing::Values(0.0, 0.1)));

TEST(Loss, IsTheSameWithoutGradients) {
  const auto inputs = trained_inputs(130, 16, 90);
  const auto with = in_blocks(inputs, 0.1);
  const at::NoGradGuard no_grad;
  const auto without = in_blocks(inputs, 0.1);
  EXPECT_EQ(with.smoothed.item<float>(), without.smoothed.item<float>());
  EXPECT_EQ(with.plain.item<double>(), without.plain.item<double>());
}

TEST(Loss, SurvivesExtremeLogits) {
  const LossInputs inputs{
      .features = at::tensor({1000.0F, -1000.0F, 0.0F, -3e4F, 3e4F, 3e4F}).view({2, 3}).requires_grad_(),
      .weight = at::eye(3),
      .bias = at::zeros({3}),
      .targets = {at::tensor({std::int64_t{1}, std::int64_t{2}}, at::kLong)}};
  const auto sums = in_blocks(inputs, 0.0);
  EXPECT_NEAR(sums.plain.item<double>(), 2000.0 + std::log(2.0), 1e-3);
  sums.minimised.backward();
  EXPECT_TRUE(inputs.features.grad().isfinite().all().item<bool>());
}

TEST(Loss, OfADoubledBatchIsTwiceTheLoss) {
  const auto inputs = trained_inputs(40, 16, 50);
  const auto once = in_blocks(inputs, 0.1);
  auto doubled = inputs;
  doubled.features = at::cat({inputs.features, inputs.features});
  doubled.targets.labels = at::cat({inputs.targets.labels, inputs.targets.labels});
  const auto twice = in_blocks(doubled, 0.1);
  EXPECT_NEAR(twice.smoothed.item<double>(), 2.0 * once.smoothed.item<double>(), 1e-3);
}

TEST(Loss, Bf16ProductsStayNearFp32) {
  const auto exact = trained_inputs(200, 64, 300);
  const auto rounded = trained_inputs(200, 64, 300);
  in_blocks(exact, 0.1).minimised.backward();
  in_blocks(rounded, 0.1, FactorType::kBfloat16).minimised.backward();
  EXPECT_EQ(rounded.weight.grad().scalar_type(), at::kFloat);
  EXPECT_GT(relative_distance(rounded.weight.grad(), exact.weight.grad()), 1e-6);  // it was bf16 indeed
  EXPECT_LE(relative_distance(rounded.weight.grad(), exact.weight.grad()), 3e-2);
  EXPECT_LE(relative_distance(rounded.features.grad(), exact.features.grad()), 3e-2);
}

}  // namespace
}  // namespace translate::trainer
