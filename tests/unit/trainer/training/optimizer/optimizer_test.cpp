#include "training/optimizer/optimizer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "unit/trainer/training/optimizer/two_parameters.h"

namespace translate::trainer {
namespace {

void set_gradients(const NamedTensors& parameters, double value) {
  for (const auto& [name, parameter] : parameters) {
    at::Tensor(parameter).mutable_grad() = at::full_like(parameter, value);
  }
}

TEST(Optimizer, FirstStepMovesByTheRateAgainstTheGradientsSign) {
  const auto parameters = two_parameters();
  const auto before = parameters[0].second.detach().clone();
  Optimizer adam(parameters, {});
  set_gradients(parameters, 0.3);
  adam.step(0.01);
  EXPECT_TRUE(at::allclose(parameters[0].second.detach(), before - 0.01, 0.0, 1e-6));
}

TEST(Optimizer, RateZeroChangesNothingAndGradientsDoNotPileUp) {
  const auto parameters = two_parameters();
  const auto before = parameters[0].second.detach().clone();
  Optimizer adam(parameters, {});
  for (int i = 0; i < 2; ++i) {
    (parameters[0].second.sum() * 2.0).backward();
    EXPECT_TRUE(at::equal(parameters[0].second.grad(), at::full({3, 4}, 2.0F))) << i;
    adam.step(0.0);
    adam.clear_gradients();
    EXPECT_FALSE(parameters[0].second.grad().defined());
  }
  EXPECT_TRUE(at::equal(parameters[0].second.detach(), before));
}

TEST(Optimizer, WeightDecayActsOnMatricesAlone) {
  const auto parameters = two_parameters();
  const auto matrix = parameters[0].second.detach().clone();
  const auto bias = parameters[1].second.detach().clone();
  Optimizer adam(parameters, {.weight_decay = 0.5});
  set_gradients(parameters, 0.0);
  adam.step(0.1);
  EXPECT_TRUE(at::allclose(parameters[0].second.detach(), matrix * (1.0 - 0.1 * 0.5)));
  EXPECT_TRUE(at::equal(parameters[1].second.detach(), bias));
}

double global_norm(const NamedTensors& parameters) {
  double sum = 0.0;
  for (const auto& [name, parameter] : parameters) {
    sum += parameter.grad().to(at::kDouble).square().sum().item<double>();
  }
  return std::sqrt(sum);
}

/// Everything that an update may change.
std::vector<at::Tensor> state_of(const NamedTensors& parameters, const Optimizer& adam) {
  std::vector<at::Tensor> all;
  for (const auto& values : {parameters, adam.exp_avg(), adam.exp_avg_sq()}) {
    for (const auto& [name, value] : values) {
      all.push_back(value.detach().clone());
    }
  }
  return all;
}

void expect_equal(const std::vector<at::Tensor>& left, const std::vector<at::Tensor>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_TRUE(at::equal(left[i], right[i])) << i;
  }
}

TEST(Optimizer, ClipsToTheGlobalNormAndNeverScalesUp) {
  const auto parameters = two_parameters();
  Optimizer adam(parameters, {});
  for (const double limit : {0.5, 3.0, 7.999, 8.001, 100.0, 0.0}) {
    set_gradients(parameters, 2.0);  // 16 values: a norm of 8
    adam.step(0.01, limit);
    EXPECT_NEAR(global_norm(parameters), limit > 0.0 ? std::min(limit, 8.0) : 8.0, 1e-5) << limit;
  }
}

TEST(Optimizer, AClippedUpdateIsTheUpdateWithScaledGradients) {
  const auto clipped = two_parameters();
  const auto scaled = two_parameters();
  Optimizer first(clipped, {.weight_decay = 0.1});
  Optimizer second(scaled, {.weight_decay = 0.1});
  for (int step = 0; step < 5; ++step) {
    for (std::size_t i = 0; i < clipped.size(); ++i) {
      const auto gradient = at::randn_like(clipped[i].second.detach()) * (step + 1.0);
      at::Tensor(clipped[i].second).mutable_grad() = gradient;
      at::Tensor(scaled[i].second).mutable_grad() = gradient.clone();
    }
    if (const auto norm = global_norm(scaled); norm > 2.0) {
      for (const auto& [name, parameter] : scaled) {
        at::Tensor(parameter).mutable_grad() *= 2.0 / norm;
      }
    }
    first.step(0.01, 2.0);
    second.step(0.01);
  }
  for (std::size_t i = 0; i < clipped.size(); ++i) {
    EXPECT_TRUE(at::allclose(clipped[i].second.detach(), scaled[i].second.detach(), 0.0, 1e-6)) << clipped[i].first;
  }
}

TEST(Optimizer, AGradientThatIsNotFiniteLeavesWeightsMomentsAndCountersAsTheyWere) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const double clip_norm : {0.0, 1.0}) {
      const auto parameters = two_parameters();
      const auto twins = two_parameters();
      Optimizer adam(parameters, {.weight_decay = 0.1});
      Optimizer untouched(twins, {.weight_decay = 0.1});
      for (const auto* each : {&parameters, &twins}) {
        set_gradients(*each, 0.3);
      }
      adam.step(0.01, clip_norm);
      untouched.step(0.01, clip_norm);
      EXPECT_FALSE(adam.refused());
      const auto before = state_of(parameters, adam);
      set_gradients(parameters, 1.0);
      at::Tensor(parameters[1].second).mutable_grad()[2] = bad;
      adam.step(0.01, clip_norm);
      expect_equal(state_of(parameters, adam), before);
      const auto refused = adam.refused();
      ASSERT_TRUE(refused);
      EXPECT_EQ(refused->number, 2);
      EXPECT_EQ(refused->gradient, "bias");
      // Put back to where it was it goes on as if nothing had happened: the bias correction counts updates made.
      adam.restore(untouched.exp_avg(), untouched.exp_avg_sq(), 1);
      for (const auto* each : {&parameters, &twins}) {
        set_gradients(*each, -0.2);
      }
      adam.step(0.01, clip_norm);
      untouched.step(0.01, clip_norm);
      EXPECT_FALSE(adam.refused());
      expect_equal(state_of(parameters, adam), state_of(twins, untouched));
    }
  }
}

TEST(Optimizer, ASkippedUpdateDoesNotCount) {
  const auto parameters = two_parameters();
  const auto twins = two_parameters();
  Optimizer adam(parameters, {});
  Optimizer untouched(twins, {});
  for (const double gradient : {0.3, std::numeric_limits<double>::quiet_NaN(), -0.2}) {
    set_gradients(parameters, gradient);
    adam.step(0.01, 1.0);
    if (adam.refused()) {
      EXPECT_EQ(adam.refused()->number, 2);
      adam.skip_refused();
      EXPECT_FALSE(adam.refused());
      continue;
    }
    set_gradients(twins, gradient);
    untouched.step(0.01, 1.0);
  }
  expect_equal(state_of(parameters, adam), state_of(twins, untouched));
}

TEST(Optimizer, ALossThatIsNotFiniteRefusesTheUpdate) {
  const auto parameters = two_parameters();
  Optimizer adam(parameters, {});
  const auto before = state_of(parameters, adam);
  set_gradients(parameters, 1.0);
  adam.step(0.01, 1.0, at::scalar_tensor(std::numeric_limits<double>::infinity(), at::kDouble));
  expect_equal(state_of(parameters, adam), before);
  ASSERT_TRUE(adam.refused());
  EXPECT_EQ(adam.refused()->number, 1);
  EXPECT_EQ(adam.refused()->gradient, "");
  EXPECT_EQ(adam.refused()->loss, std::numeric_limits<double>::infinity());
}

TEST(Optimizer, TellsOfTheFirstRefusedUpdateHoweverLateItIsAsked) {
  const auto parameters = two_parameters();
  Optimizer adam(parameters, {});
  adam.restore(adam.exp_avg(), adam.exp_avg_sq(), 40);
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto step = [&](double gradient, double loss) {
    set_gradients(parameters, gradient);
    adam.step(0.01, 1.0, at::scalar_tensor(loss, at::kDouble));
  };
  step(0.1, 5.0);
  step(0.2, 4.0);
  const auto before = state_of(parameters, adam);
  step(nan, 3.0);  // the 43rd
  step(0.3, 2.0);
  step(0.1, nan);
  expect_equal(state_of(parameters, adam), before);
  ASSERT_TRUE(adam.refused());
  EXPECT_EQ(adam.refused()->number, 43);
  EXPECT_EQ(adam.refused()->loss, 3.0);
  EXPECT_EQ(adam.refused()->gradient, "matrix");
}

TEST(Optimizer, ParametersWithoutAGradientAreLeftOut) {
  const auto parameters = two_parameters();
  const auto before = parameters[0].second.detach().clone();
  Optimizer adam(parameters, {.weight_decay = 0.5});
  adam.step(0.1, 1.0);
  at::Tensor(parameters[1].second).mutable_grad() = at::full({4}, std::numeric_limits<float>::quiet_NaN());
  adam.step(0.1, 1.0);
  EXPECT_TRUE(at::equal(parameters[0].second.detach(), before));
  ASSERT_TRUE(adam.refused());
  EXPECT_EQ(adam.refused()->number, 2);
  EXPECT_EQ(adam.refused()->gradient, "bias");
}

TEST(Optimizer, GoesOnBitForBitThoughAParameterHadNoGradientAtTimes) {
  const auto straight = two_parameters();
  Optimizer adam(straight, {});
  const auto step = [](const NamedTensors& parameters, Optimizer& optimizer, int number) {
    set_gradients(parameters, 0.1 * number);
    if (number % 3 == 0) {  // a layer that a pass left out
      at::Tensor(parameters[0].second).mutable_grad() = at::Tensor();
    }
    optimizer.step(0.01);
    optimizer.clear_gradients();
  };
  for (int number = 1; number <= 4; ++number) {
    step(straight, adam, number);
  }
  NamedTensors resumed;
  for (const auto& [name, parameter] : straight) {
    resumed.emplace_back(name, parameter.detach().clone().requires_grad_());
  }
  Optimizer other(resumed, {});
  other.restore(adam.exp_avg(), adam.exp_avg_sq(), /*step=*/4);
  for (int number = 5; number <= 8; ++number) {
    step(straight, adam, number);
    step(resumed, other, number);
  }
  for (std::size_t i = 0; i < straight.size(); ++i) {
    EXPECT_TRUE(at::equal(straight[i].second.detach(), resumed[i].second.detach())) << i;
  }
}

TEST(Optimizer, RestoredMomentsGoOnBitForBit) {
  const auto straight = two_parameters();
  Optimizer first(straight, {});
  const auto step = [](const NamedTensors& parameters, Optimizer& adam, double gradient) {
    set_gradients(parameters, gradient);
    adam.step(0.01);
  };
  step(straight, first, 0.5);
  NamedTensors copies;
  for (const auto& [name, parameter] : straight) {
    copies.emplace_back(name, parameter.detach().clone().requires_grad_());
  }
  Optimizer second(copies, {});
  second.restore(first.exp_avg(), first.exp_avg_sq(), 1);
  step(straight, first, -0.2);
  step(copies, second, -0.2);
  for (std::size_t i = 0; i < straight.size(); ++i) {
    EXPECT_TRUE(at::equal(straight[i].second.detach(), copies[i].second.detach()));
  }
}

TEST(Optimizer, RefusesMomentsOfAnotherModel) {
  const auto parameters = two_parameters();
  Optimizer adam(parameters, {});
  EXPECT_THROW(adam.restore({{"matrix", at::zeros({3, 4})}}, {{"matrix", at::zeros({3, 4})}}, 1), CheckpointError);
  EXPECT_THROW(adam.restore({{"matrix", at::zeros({4, 4})}, {"bias", at::zeros({4})}}, adam.exp_avg_sq(), 1),
               CheckpointError);
}

}  // namespace
}  // namespace translate::trainer
