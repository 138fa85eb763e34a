#include "recipe/forgetting_guard.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "core/error.h"

namespace translate::trainer {
namespace {

NamedArrays weights(std::vector<float> matrix, std::vector<float> bias) {
  NamedArrays arrays;
  arrays.emplace_back("matrix", stored_floats({2, 2}, std::move(matrix)));
  arrays.emplace_back("bias", stored_floats({2}, std::move(bias)));
  return arrays;
}

std::vector<float> numbers(const NamedArrays& arrays, std::size_t index) {
  const auto& [name, array] = arrays[index];
  const auto values = as_floats(array, name);
  return {values.get(), values.get() + array.count()};
}

TEST(ForgettingGuard, InterpolatesEveryWeight) {
  const auto start = weights({0, 1, 2, 3}, {8, -8});
  const auto end = weights({4, 1, -2, 7}, {0, 8});
  EXPECT_EQ(numbers(interpolated_weights(start, end, 0.0), 0), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(numbers(interpolated_weights(start, end, 1.0), 1), (std::vector<float>{0, 8}));
  EXPECT_EQ(numbers(interpolated_weights(start, end, 0.25), 0), (std::vector<float>{1, 1, 1, 4}));
  EXPECT_EQ(numbers(interpolated_weights(start, end, 0.25), 1), (std::vector<float>{6, -4}));
}

TEST(ForgettingGuard, RefusesOtherParameters) {
  auto start = weights({0, 1, 2, 3}, {8, -8});
  const auto end = start;
  start.back().first = "other";
  EXPECT_THROW((void)interpolated_weights(start, end, 0.5), CheckpointError);
  start.back() = {"bias", stored_floats({1}, {8})};
  EXPECT_THROW((void)interpolated_weights(start, end, 0.5), CheckpointError);
}

/// The search for a model whose general BLEU falls along the way as `falls` says, from 40.
GuardedShare search(const std::function<double(double share)>& falls, int& measured) {
  return guarded_share(40.0, 0.5, [&](double share) {
    EXPECT_GT(share, 0.0);
    ++measured;
    return 40.0 - falls(share);
  });
}

TEST(ForgettingGuard, KeepsTheEndWhereLittleIsLost) {
  int measured = 0;
  const auto kept = search([](double share) { return 0.4 * share; }, measured);
  EXPECT_EQ(kept.share, 1.0);
  EXPECT_DOUBLE_EQ(kept.general_bleu, 39.6);
  EXPECT_EQ(measured, 1);
}

TEST(ForgettingGuard, GoesBackAsFarAsNeeded) {
  for (const double loss : {0.6, 1.0, 3.0, 5.0}) {
    int measured = 0;
    const auto kept = search([&](double share) { return loss * share * share; }, measured);
    EXPECT_LT(kept.share, 1.0);
    EXPECT_LE(loss * kept.share * kept.share, 0.5);
    const auto further = kept.share + 1.0 / 16.0;
    EXPECT_GT(loss * further * further, 0.5);
    EXPECT_DOUBLE_EQ(kept.general_bleu, 40.0 - loss * kept.share * kept.share);
    EXPECT_DOUBLE_EQ(kept.end_bleu, 40.0 - loss);
    EXPECT_LE(measured, 5);
  }
}

TEST(ForgettingGuard, StaysAtTheStartWhereEveryStepLosesTooMuch) {
  int measured = 0;
  const auto kept = search([](double) { return 20.0; }, measured);
  EXPECT_EQ(kept.share, 0.0);
  EXPECT_DOUBLE_EQ(kept.general_bleu, 40.0);
}

}  // namespace
}  // namespace translate::trainer
