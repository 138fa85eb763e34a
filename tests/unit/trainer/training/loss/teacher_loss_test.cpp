// The loss with targets that teachers have predicted.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <tuple>

#include "support/golden_case.h"
#include "training/loss/loss.h"

namespace translate::trainer {
namespace {

using testing::relative_distance;

constexpr double kWeight = 0.7;
constexpr LossSettings kSettings{.smoothing = 0.1, .teacher = kWeight};

/// The targets as a matrix (labels, classes), by the definition in fused_loss.h.
at::Tensor dense_targets(const Targets& targets, std::int64_t classes) {
  const auto count = targets.size();
  auto one_hot = at::zeros({count, classes}, at::kDouble);
  one_hot.scatter_(1, targets.labels.unsqueeze(1), 1.0);
  const auto smoothed = one_hot * 0.9 + 0.1 / static_cast<double>(classes);
  if (!targets.predictions) {
    return smoothed;
  }
  const auto& [rows, columns, values, offsets] = *targets.predictions;
  auto predicted = at::zeros({count, classes}, at::kDouble);
  predicted.index_put_({rows, columns}, values.to(at::kDouble), /*accumulate=*/true);
  const auto has_some = at::zeros({count, 1}, at::kDouble).index_fill_(0, rows, 1.0);
  predicted += has_some * (1.0 - predicted.sum(1, /*keepdim=*/true)) / static_cast<double>(classes);
  return smoothed * (1.0 - kWeight * has_some) + kWeight * predicted;
}

/// Inputs in which two labels of three have predictions, one of them that of the label itself.
LossInputs inputs_for(std::int64_t labels, std::int64_t classes, std::int64_t passes) {
  at::manual_seed(7);
  LossInputs inputs{.features = at::randn({passes * labels, 24}),
                    .weight = 0.5 * at::randn({classes, 24}),
                    .bias = at::randn({classes}),
                    .targets = {at::randint(classes, {labels}, at::kLong)}};
  SparseRowsBuilder predictions;
  for (std::int64_t label = 0; label < labels; ++label) {
    if (label % 3 < 2) {
      const auto right = inputs.targets.labels[label].item<std::int64_t>();
      predictions.add(label, right, 0.5F);
      predictions.add(label, (right + 1 + label) % classes, label % 2 == 0 ? 0.5F : 0.125F);
    }
  }
  inputs.targets.predictions = predictions.finish();
  return inputs;
}

LossInputs with_gradients(const LossInputs& given, at::ScalarType type) {
  auto inputs = given;
  for (auto* tensor : {&inputs.features, &inputs.weight, &inputs.bias}) {
    *tensor = tensor->to(type).detach().clone().requires_grad_();
  }
  return inputs;
}

using TaughtShape = std::tuple<LossMethod, std::int64_t, std::int64_t>;
class TeacherLoss : public ::testing::TestWithParam<TaughtShape> {};

void expect_equal_gradients(const LossInputs& ours, const LossInputs& exact) {
  EXPECT_LE(relative_distance(ours.features.grad(), exact.features.grad()), 1e-5);
  EXPECT_LE(relative_distance(ours.weight.grad(), exact.weight.grad()), 1e-5);
  EXPECT_LE(relative_distance(ours.bias.grad(), exact.bias.grad()), 2e-5);
}

TEST_P(TeacherLoss, IsTheCrossEntropyAgainstTheMixedTargets) {
  const auto [method, labels, classes] = GetParam();
  const auto given = inputs_for(labels, classes, 1);
  const auto exact = with_gradients(given, at::kDouble);
  const auto log_probabilities = at::log_softmax(at::linear(exact.features, exact.weight, exact.bias), 1);
  const auto expected = -(dense_targets(given.targets, classes) * log_probabilities).sum();
  const auto ours = with_gradients(given, at::kFloat);
  const auto sums = projected_loss(ours, kSettings, method);
  EXPECT_LE(relative_distance(sums.minimised.detach(), expected.detach()), 1e-5);
  EXPECT_LE(relative_distance(sums.smoothed, expected.detach()), 1e-5);
  const auto plain = -log_probabilities.gather(1, given.targets.labels.unsqueeze(1)).sum();
  EXPECT_LE(relative_distance(sums.plain, plain.detach()), 1e-5);
  (sums.minimised * 0.37).backward();
  (expected * 0.37).backward();
  expect_equal_gradients(ours, exact);
}

TEST_P(TeacherLoss, OfTwoPassesHasTheSameTargetsInBoth) {
  const auto [method, labels, classes] = GetParam();
  const auto given = inputs_for(labels, classes, 2);
  const auto exact = with_gradients(given, at::kDouble);
  const auto log_probabilities = at::log_softmax(at::linear(exact.features, exact.weight, exact.bias), 1).chunk(2);
  const auto& log_p = log_probabilities[0];
  const auto& log_q = log_probabilities[1];
  const auto targets = dense_targets(given.targets, classes);
  auto settings = kSettings;
  settings.r_drop = 5.0;
  const auto expected = -0.5 * (targets * (log_p + log_q)).sum() +
                        0.5 * settings.divergence_weight() * ((log_p.exp() - log_q.exp()) * (log_p - log_q)).sum();
  const auto ours = with_gradients(given, at::kFloat);
  const auto sums = projected_loss(ours, settings, method);
  EXPECT_LE(relative_distance(sums.minimised.detach(), expected.detach()), 1e-5);
  sums.minimised.backward();
  expected.backward();
  expect_equal_gradients(ours, exact);
}

// Label counts below, at and above a block; class counts off and on the vector width.
INSTANTIATE_TEST_SUITE_P(TaughtShapes, TeacherLoss,
                         ::testing::Combine(::testing::Values(LossMethod::kOperators, LossMethod::kBlocks,
                                                              LossMethod::kFused),
                                            ::testing::Values(1, 7, 1500), ::testing::Values(5, 48, 1003)));

TEST(TeacherLossTest, PredictionsCountOnlyWithAWeight) {
  auto inputs = inputs_for(60, 48, 1);
  const auto with = projected_loss(inputs, {.smoothing = 0.1, .teacher = 0.0}, LossMethod::kFused).smoothed;
  inputs.targets.predictions.reset();
  const auto without = projected_loss(inputs, kSettings, LossMethod::kFused).smoothed;
  EXPECT_NEAR(with.item<double>(), without.item<double>(), 1e-9);
}

}  // namespace
}  // namespace translate::trainer
