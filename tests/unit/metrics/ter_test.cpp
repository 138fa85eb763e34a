#include "metrics/ter.h"

#include <gtest/gtest.h>

#include "unit/metrics/golden.h"

namespace translate {
namespace {

using Lines = std::vector<std::string>;

TEST(Ter, CaseAndTheKindOfWhiteSpaceDoNotCount) {
  EXPECT_EQ(testing::corpus_score(Ter(), Lines{"LE  CHAT\u00A0DORT ÉTÉ "}, Lines{"le chat dort été"}), 0.0);
}

TEST(Ter, TakesTheFewestEditsOverTheMeanLength) {
  EXPECT_EQ(Ter().count("a b c", Lines{"a b d e f", "a b"}), (std::vector<double>{1.0, 3.5}));
}

TEST(Ter, OfEmptyReferencesIsZeroOrAHundred) {
  EXPECT_EQ(testing::corpus_score(Ter(), Lines{"", ""}, Lines{"", ""}), 0.0);
  EXPECT_EQ(testing::corpus_score(Ter(), Lines{"a b c", ""}, Lines{"", ""}), 100.0);
}

TEST(Ter, MayExceedAHundred) { EXPECT_NEAR(testing::corpus_score(Ter(), Lines{"a b c d"}, Lines{"x"}), 400.0, 1e-9); }

}  // namespace
}  // namespace translate
