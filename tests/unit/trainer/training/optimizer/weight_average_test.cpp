#include "training/optimizer/weight_average.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "unit/trainer/training/optimizer/two_parameters.h"

namespace translate::trainer {
namespace {

/// Moves the weights, as an optimizer would.
void move(const NamedTensors& parameters) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, parameter] : parameters) {
    at::Tensor(parameter).add_(at::randn_like(parameter));
  }
}

TEST(WeightAverage, DecayRisesToItsValue) {
  EXPECT_DOUBLE_EQ(average_decay_at(0.999, 1), 2.0 / 11.0);
  EXPECT_DOUBLE_EQ(average_decay_at(0.999, 90), 0.91);
  EXPECT_DOUBLE_EQ(average_decay_at(0.999, 100000), 0.999);
  EXPECT_DOUBLE_EQ(average_decay_at(0.1, 1), 0.1);
}

TEST(WeightAverage, IsTheSumOfItsDefinition) {
  const auto parameters = two_parameters();
  WeightAverage average(parameters, 0.6);
  auto expected = parameters[0].second.detach().to(at::kDouble);
  for (std::int64_t step = 1; step <= 20; ++step) {
    move(parameters);
    average.update(step);
    const auto decay = average_decay_at(0.6, step);
    expected = decay * expected + (1.0 - decay) * parameters[0].second.detach().to(at::kDouble);
  }
  const auto values = average.values();
  EXPECT_EQ(values[0].first, "matrix");
  EXPECT_TRUE(at::allclose(values[0].second.to(at::kDouble), expected, 1e-5, 1e-6));
  EXPECT_FALSE(values[0].second.requires_grad());
}

TEST(WeightAverage, StandsInForTheWeightsForAWhile) {
  const auto parameters = two_parameters();
  std::optional<WeightAverage> average(std::in_place, parameters, 0.9);
  move(parameters);
  average->update(5);
  const auto weights = parameters[0].second.detach().clone();
  const auto averaged = average->values()[0].second.clone();
  const auto alias = parameters[0].second;  // as a model's modules hold it
  try {
    const WeightAverage::InPlace in_place(average);
    EXPECT_TRUE(at::equal(alias.detach(), averaged));
    throw std::runtime_error("validation failed");
  } catch (const std::runtime_error&) {
    EXPECT_TRUE(at::equal(alias.detach(), weights));
  }
  EXPECT_TRUE(at::equal(average->values()[0].second, averaged));
  move(parameters);  // the average has memory of its own again
  EXPECT_TRUE(at::equal(average->values()[0].second, averaged));

  std::optional<WeightAverage> none;
  const WeightAverage::InPlace nothing(none);
}

TEST(WeightAverage, GoesOnFromWhatWasSaved) {
  const auto parameters = two_parameters();
  WeightAverage straight(parameters, 0.9);
  move(parameters);
  straight.update(1);
  NamedTensors saved;
  for (const auto& [name, value] : straight.values()) {
    saved.emplace_back(name, value.clone());
  }
  WeightAverage resumed(parameters, 0.9);
  resumed.set(saved);
  move(parameters);
  straight.update(2);
  resumed.update(2);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(at::equal(straight.values()[i].second, resumed.values()[i].second));
  }
  resumed.set_to_weights();
  EXPECT_TRUE(at::equal(resumed.values()[1].second, parameters[1].second.detach()));
  EXPECT_FALSE(resumed.values()[1].second.requires_grad());
  saved[1].second = at::zeros({5});
  try {
    resumed.set(saved);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const CheckpointError& error) {
    EXPECT_STREQ(error.what(), "the saved average has no weights for bias of the model's shape");
  }
}

}  // namespace
}  // namespace translate::trainer
