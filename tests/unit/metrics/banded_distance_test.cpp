#include <gtest/gtest.h>

#include "metrics/ter.h"

namespace translate {
namespace {

using Words = std::vector<std::uint32_t>;

TEST(BandedDistance, IsTheFewestEdits) {
  const Words reference{1, 2, 3, 4, 5};
  const auto distance = [&reference](const Words& hypothesis) {
    return BandedDistance(hypothesis.size(), reference).compute(hypothesis, 0);
  };
  EXPECT_EQ(distance({1, 2, 3, 4, 5}), 0);
  EXPECT_EQ(distance({2, 3, 4, 5}), 1);
  EXPECT_EQ(distance({9, 1, 2, 8, 4, 5}), 2);
  EXPECT_EQ(distance({}), 5);
}

TEST(BandedDistance, GoesOnFromTheRowsOfACommonBeginning) {
  const Words reference{1, 2, 3, 4, 5, 6};
  const Words first{1, 2, 7, 4, 6, 5};
  const Words second{1, 2, 7, 4, 5, 6};
  BandedDistance whole(first.size(), reference);
  EXPECT_EQ(whole.compute(first, 0), 3);
  BandedDistance rest(second.size(), reference);
  rest.copy_row(whole, 4);
  EXPECT_EQ(rest.compute(second, 4), 1);
}

TEST(BandedDistance, AlignsEveryWordOfTheReference) {
  const Words reference{1, 2, 3, 4};
  const Words hypothesis{1, 9, 8, 4};  // 2 and 3 substituted
  BandedDistance table(hypothesis.size(), reference);
  EXPECT_EQ(table.compute(hypothesis, 0), 2);
  const EditAlignment alignment = table.align();
  EXPECT_EQ(alignment.to_hypothesis, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(alignment.wrong_in_reference, (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(alignment.wrong_in_hypothesis, (std::vector<bool>{false, true, true, false}));
}

TEST(BandedDistance, AWordThatIsMissingBelongsToTheOneBefore) {
  const Words reference{5, 6};
  BandedDistance table(1, reference);
  EXPECT_EQ(table.compute({6}, 0), 1);
  EXPECT_EQ(table.align().to_hypothesis, (std::vector<std::int64_t>{-1, 0}));
}

TEST(BandedDistance, TakesMemoryForTheBandAlone) {
  EXPECT_EQ(BandedDistance::places(0, 3), 4U);
  EXPECT_EQ(BandedDistance::places(2, 3), 12U);
  EXPECT_LT(BandedDistance::places(50'000, 50'000), 60U * 50'000U);
  EXPECT_LT(BandedDistance::places(10, 50'000), 12U * 50'000U);
  Words reference(50'000, 1);
  for (std::size_t i = 0; i < reference.size(); i += 7) {
    reference[i] = static_cast<std::uint32_t>(i);
  }
  Words hypothesis = reference;
  hypothesis[25'000] = 2;
  hypothesis.erase(hypothesis.begin() + 40'000);
  EXPECT_EQ(BandedDistance(hypothesis.size(), reference).compute(hypothesis, 0), 2);
}

}  // namespace
}  // namespace translate
