#include "serve/training/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace translate::tools {
namespace {

using ::testing::ElementsAre;

TEST(CurveTest, AStepThatComesAgainReplacesItAndAllLaterOnes) {
  Curve curve;
  for (const std::int64_t step : {10, 20, 30, 20}) {
    curve.add({.step = step, .value = 1.0});
  }
  EXPECT_THAT(curve.points(), ElementsAre(CurvePoint{10, 1.0}, CurvePoint{20, 1.0}));
}

TEST(CurveTest, ASelectionHasBothEnds) {
  Curve curve;
  for (std::int64_t step = 0; step <= 1000; ++step) {
    curve.add({.step = step, .value = 0.0});
  }
  const auto chosen = curve.selection(11);
  ASSERT_EQ(chosen.size(), 11U);
  EXPECT_EQ(chosen[0].step, 0);
  EXPECT_EQ(chosen[1].step, 100);
  EXPECT_EQ(chosen[10].step, 1000);
  EXPECT_EQ(curve.selection(5000).size(), 1001U);
}

TEST(CurveTest, ALongCurveIsThinned) {
  Curve curve;
  constexpr std::int64_t kSteps = 100'000;
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    curve.add({.step = step, .value = static_cast<double>(step)});
    ASSERT_LT(curve.points().size(), Curve::kMostPoints);
  }
  EXPECT_EQ(curve.points().front().step, 1);
  EXPECT_EQ(curve.points().back().step, kSteps);
  for (std::size_t i = 1; i < curve.points().size(); ++i) {
    ASSERT_LT(curve.points()[i - 1].step, curve.points()[i].step);
  }
}

}  // namespace
}  // namespace translate::tools
