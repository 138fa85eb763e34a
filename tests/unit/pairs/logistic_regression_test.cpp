#include "pairs/logistic_regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace translate {
namespace {

TEST(LogisticRegression, FindsTheLogarithmOfTheOdds) {
  // Of the four kinds of things with features 0 or 1, the shares that are positive are those of 1 x1 - 2 x2 + 0.5.
  std::vector<LabelledFeatures> examples;
  for (const double x1 : {0.0, 1.0}) {
    for (const double x2 : {0.0, 1.0}) {
      constexpr int kEach = 10'000;
      const auto positive = std::lround(kEach / (1.0 + std::exp(-(x1 - 2.0 * x2 + 0.5))));
      for (int i = 0; i < kEach; ++i) {
        examples.push_back({.features = {x1, x2}, .is_positive = i < positive});
      }
    }
  }
  const LogisticRegression regression(examples);
  EXPECT_NEAR(regression.log_odds({0.0, 0.0}), 0.5, 0.01);
  EXPECT_NEAR(regression.log_odds({1.0, 0.0}), 1.5, 0.01);
  EXPECT_NEAR(regression.log_odds({0.0, 1.0}), -1.5, 0.01);
}

TEST(LogisticRegression, IsFiniteWhereALineSeparatesTheClasses) {
  const std::vector<LabelledFeatures> examples = {{{0.0, 1.0}, false}, {{1.0, 1.0}, true}, {{2.0, 1.0}, true}};
  const LogisticRegression regression(examples);
  EXPECT_LT(regression.log_odds({0.0, 1.0}), 0.0);
  EXPECT_GT(regression.log_odds({1.0, 1.0}), 0.0);
  EXPECT_TRUE(std::isfinite(regression.log_odds({5.0, 1.0})));
}

TEST(LogisticRegression, WithoutExamplesKnowsNothing) {
  EXPECT_EQ(LogisticRegression(std::vector<LabelledFeatures>()).log_odds({1.0, 2.0}), 0.0);
}

}  // namespace
}  // namespace translate
