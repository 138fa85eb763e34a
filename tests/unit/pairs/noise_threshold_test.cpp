#include "pairs/noise_threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace translate {
namespace {

/// Scores around a mean, evenly spread over 2.
std::vector<float> scores_around(float mean, std::size_t count) {
  std::vector<float> scores;
  for (std::size_t i = 0; i < count; ++i) {
    scores.push_back(mean - 1.0F + 2.0F * static_cast<float>(i) / static_cast<float>(count));
  }
  return scores;
}

std::vector<float> joined(std::vector<float> one, const std::vector<float>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

TEST(NoiseThreshold, LiesBetweenNoiseAndTheRest) {
  const auto text = joined(scores_around(-2.0F, 1000), scores_around(2.0F, 9000));
  const auto found = noise_threshold(text, scores_around(-2.0F, 500), 1.0);
  EXPECT_NEAR(found.noise_share, 0.1, 0.01);
  EXPECT_GT(found.found_share, 0.98);
  EXPECT_GT(found.score, -1.1);
  EXPECT_LT(found.score, 1.0);
}

TEST(NoiseThreshold, NothingIsNoiseInATextWithoutAny) {
  const auto found = noise_threshold(scores_around(2.0F, 9000), scores_around(-2.0F, 500), 1.0);
  EXPECT_EQ(found.noise_share, 0.0);
  EXPECT_EQ(found.score, -std::numeric_limits<double>::infinity());
}

TEST(NoiseThreshold, AHigherWeightOfLossesGivesALowerThreshold) {
  const auto text = joined(scores_around(-0.7F, 2000), scores_around(0.5F, 8000));
  const auto decoys = scores_around(-0.7F, 500);
  EXPECT_LT(noise_threshold(text, decoys, 20.0).score, noise_threshold(text, decoys, 0.1).score);
}

TEST(NoiseThreshold, DoesNotDependOnTheOrder) {
  auto text = joined(scores_around(-0.7F, 2000), scores_around(0.5F, 8000));
  auto decoys = scores_around(-0.7F, 500);
  const auto straight = noise_threshold(text, decoys, 1.0).score;
  std::ranges::reverse(text);
  std::ranges::reverse(decoys);
  EXPECT_EQ(noise_threshold(text, decoys, 1.0).score, straight);
}

TEST(NoiseThreshold, WithoutScoresNothingIsNoise) {
  EXPECT_EQ(noise_threshold({}, scores_around(0.0F, 100), 1.0).score, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(noise_threshold(scores_around(0.0F, 100), scores_around(0.0F, 49), 1.0).score,
            -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace translate
