#include "translate/training/adam.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "translate/core/error.h"

namespace translate {
namespace {

Adam::NamedTensors two_parameters() {
  at::manual_seed(3);
  return {{"matrix", at::randn({3, 4}).requires_grad_()}, {"bias", at::randn({4}).requires_grad_()}};
}

void set_gradients(const Adam::NamedTensors& parameters, double value) {
  for (const auto& [name, parameter] : parameters) {
    at::Tensor(parameter).mutable_grad() = at::full_like(parameter, value);
  }
}

TEST(Adam, FirstStepMovesByTheRateAgainstTheGradientsSign) {
  const auto parameters = two_parameters();
  const auto before = parameters[0].second.detach().clone();
  Adam adam(parameters, {});
  set_gradients(parameters, 0.3);
  adam.step(0.01);
  EXPECT_TRUE(at::allclose(parameters[0].second.detach(), before - 0.01, 0.0, 1e-6));
}

TEST(Adam, RateZeroChangesNothingAndGradientsDoNotPileUp) {
  const auto parameters = two_parameters();
  const auto before = parameters[0].second.detach().clone();
  Adam adam(parameters, {});
  for (int i = 0; i < 2; ++i) {
    (parameters[0].second.sum() * 2.0).backward();
    EXPECT_TRUE(at::equal(parameters[0].second.grad(), at::full({3, 4}, 2.0F))) << i;
    adam.step(0.0);
    adam.clear_gradients();
    EXPECT_FALSE(parameters[0].second.grad().defined());
  }
  EXPECT_TRUE(at::equal(parameters[0].second.detach(), before));
}

TEST(Adam, WeightDecayActsOnMatricesAlone) {
  const auto parameters = two_parameters();
  const auto matrix = parameters[0].second.detach().clone();
  const auto bias = parameters[1].second.detach().clone();
  Adam adam(parameters, {.weight_decay = 0.5});
  set_gradients(parameters, 0.0);
  adam.step(0.1);
  EXPECT_TRUE(at::allclose(parameters[0].second.detach(), matrix * (1.0 - 0.1 * 0.5)));
  EXPECT_TRUE(at::equal(parameters[1].second.detach(), bias));
}

TEST(Adam, NormIsTheGlobalOneAndScalingScalesIt) {
  const auto parameters = two_parameters();
  Adam adam(parameters, {});
  set_gradients(parameters, 2.0);
  EXPECT_NEAR(adam.gradient_norm().item<double>(), 2.0 * std::sqrt(16.0), 1e-5);
  adam.scale_gradients(0.25);
  EXPECT_NEAR(adam.gradient_norm().item<double>(), 0.5 * std::sqrt(16.0), 1e-5);
}

TEST(Adam, NamesTheFirstBadGradient) {
  const auto parameters = two_parameters();
  Adam adam(parameters, {});
  set_gradients(parameters, 1.0);
  EXPECT_EQ(adam.first_bad_gradient(), "");
  at::Tensor(parameters[1].second).mutable_grad()[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(adam.first_bad_gradient(), "bias");
}

TEST(Adam, RestoredMomentsGoOnBitForBit) {
  const auto straight = two_parameters();
  Adam first(straight, {});
  const auto step = [](const Adam::NamedTensors& parameters, Adam& adam, double gradient) {
    set_gradients(parameters, gradient);
    adam.step(0.01);
  };
  step(straight, first, 0.5);
  Adam::NamedTensors copies;
  for (const auto& [name, parameter] : straight) {
    copies.emplace_back(name, parameter.detach().clone().requires_grad_());
  }
  Adam second(copies, {});
  second.restore(first.exp_avg(), first.exp_avg_sq(), 1);
  step(straight, first, -0.2);
  step(copies, second, -0.2);
  for (std::size_t i = 0; i < straight.size(); ++i) {
    EXPECT_TRUE(at::equal(straight[i].second.detach(), copies[i].second.detach()));
  }
}

TEST(Adam, RefusesMomentsOfAnotherModel) {
  const auto parameters = two_parameters();
  Adam adam(parameters, {});
  EXPECT_THROW(adam.restore({{"matrix", at::zeros({3, 4})}}, {{"matrix", at::zeros({3, 4})}}, 1), CheckpointError);
  EXPECT_THROW(adam.restore({{"matrix", at::zeros({4, 4})}, {"bias", at::zeros({4})}}, adam.exp_avg_sq(), 1),
               CheckpointError);
}

}  // namespace
}  // namespace translate
