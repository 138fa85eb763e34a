#include "segments/repetition.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace translate {
namespace {

using Ids = std::vector<std::int64_t>;

TEST(Repetition, OfARunIsALoop) {
  EXPECT_TRUE(has_loop(Ids{5, 7, 7, 7, 7}, Ids{1, 2, 3}));
  EXPECT_TRUE(has_loop(Ids{5, 6, 7, 6, 7, 6, 7}, Ids{1, 2, 3}));
  EXPECT_TRUE(has_loop(Ids{1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 9}, Ids{1, 2, 3}));
}

TEST(Repetition, OfRunsApartIsALoop) {
  EXPECT_TRUE(has_loop(Ids{1, 2, 3, 4, 20, 1, 2, 3, 4, 21, 1, 2, 3, 4}, Ids{1, 2, 3}));
}

TEST(Repetition, OfUsualLanguageIsNone) {
  EXPECT_FALSE(has_loop(Ids{}, Ids{1}));
  EXPECT_FALSE(has_loop(Ids{5, 5}, Ids{1}));
  EXPECT_FALSE(has_loop(Ids{5, 5, 5}, Ids{1}));  // "no, no, no" may be one subword each
  EXPECT_FALSE(has_loop(Ids{5, 6, 5, 6}, Ids{1}));
  EXPECT_FALSE(has_loop(Ids{1, 2, 3, 4, 20, 1, 2, 3, 4, 21}, Ids{1}));
}

TEST(Repetition, OfOneSubwordIsFoundInATextFarLongerThanItsSource) {
  EXPECT_TRUE(repeats_subword(Ids{5, 5, 5, 6}, Ids{1}));  // "Votre Votre Votre Vos" of "Your"
  EXPECT_FALSE(repeats_subword(Ids{5, 5, 5, 6}, Ids{1, 2}));
  EXPECT_FALSE(repeats_subword(Ids{5, 6, 5, 6}, Ids{1}));
  EXPECT_FALSE(repeats_subword(Ids{5, 5, 5, 6, 6, 6, 7, 7, 7, 8}, Ids{1, 1, 1}));
}

TEST(Repetition, OfTheSourceIsNone) {
  EXPECT_FALSE(has_loop(Ids{5, 7, 7, 7, 7}, Ids{9, 8, 8, 8, 8}));
  EXPECT_FALSE(has_loop(Ids{6, 7, 6, 7, 6, 7}, Ids{1, 2, 3, 1, 2, 3, 1, 2, 3}));
  EXPECT_TRUE(has_loop(Ids{7, 7, 7, 7, 7, 7, 7, 7}, Ids{8, 8, 8, 8}));  // more often than there
}

}  // namespace
}  // namespace translate
