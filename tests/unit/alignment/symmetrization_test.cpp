#include "alignment/symmetrization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Positions = std::vector<std::int32_t>;

TEST(GrowDiagFinalAnd, KeepsWhatBothDirectionsHave) {
  EXPECT_THAT(grow_diag_final_and(Positions{0, 2, 1}, Positions{0, 2, 1}),
              ElementsAre(AlignmentPoint{0, 0}, AlignmentPoint{1, 2}, AlignmentPoint{2, 1}));
  EXPECT_THAT(grow_diag_final_and(Positions{}, Positions{}), IsEmpty());
  EXPECT_THAT(grow_diag_final_and(Positions{kNoWord}, Positions{kNoWord}), IsEmpty());
  EXPECT_THAT(grow_diag_final_and(Positions{}, Positions{kNoWord, kNoWord}), IsEmpty());
}

TEST(GrowDiagFinalAnd, GrowsToNeighboursOfWordsWithoutALink) {
  // Target words 1 and 2 are linked to source word 0 in one direction alone; 2 is reached by way of 1.
  EXPECT_THAT(grow_diag_final_and(Positions{0, 0, 0}, Positions{0}),
              ElementsAre(AlignmentPoint{0, 0}, AlignmentPoint{0, 1}, AlignmentPoint{0, 2}));
  // A neighbour on the diagonal.
  EXPECT_THAT(grow_diag_final_and(Positions{0, 1}, Positions{0, kNoWord}),
              ElementsAre(AlignmentPoint{0, 0}, AlignmentPoint{1, 1}));
}

TEST(GrowDiagFinalAnd, FarLinksAreAddedOnlyBetweenFreeWords) {
  // Both have 0-0. 3-3 is in one direction and both its words are free; 0-3 in the other, and source word 0 is not.
  EXPECT_THAT(grow_diag_final_and(Positions{0, kNoWord, kNoWord, 3}, Positions{0, kNoWord, kNoWord, kNoWord}),
              ElementsAre(AlignmentPoint{0, 0}, AlignmentPoint{3, 3}));
  EXPECT_THAT(grow_diag_final_and(Positions{0, kNoWord, kNoWord, 0}, Positions{0, kNoWord, kNoWord, kNoWord}),
              ElementsAre(AlignmentPoint{0, 0}));
}

TEST(GrowDiagFinalAnd, PrefersTheFirstDirectionAmongFarLinks) {
  EXPECT_THAT(grow_diag_final_and(Positions{kNoWord, kNoWord, 0}, Positions{0, kNoWord, kNoWord}),
              ElementsAre(AlignmentPoint{0, 2}));
}

}  // namespace
}  // namespace translate
