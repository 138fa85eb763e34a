#include <gtest/gtest.h>

#include "metrics/ter.h"
#include "unit/metrics/golden.h"

namespace translate {
namespace {

using Words = std::vector<std::uint32_t>;

TEST(ShiftedEdits, EqualSacrebleuOnAllGoldenPairs) {
  const nlohmann::json& pairs = testing::metric_variants().at("shifted_edits");
  ASSERT_GT(pairs.size(), 300U);
  for (const nlohmann::json& pair : pairs) {
    EXPECT_EQ(count_shifted_edits(pair.at(0).get<Words>(), pair.at(1).get<Words>()), pair.at(2).get<std::int64_t>())
        << pair.at(0) << pair.at(1);
  }
}

TEST(ShiftedEdits, AShiftIsOneEditHoweverManyWordsMove) {
  EXPECT_EQ(count_shifted_edits(Words{5, 6, 7, 1, 2, 3, 4}, Words{1, 2, 3, 4, 5, 6, 7}), 1);
  EXPECT_EQ(count_shifted_edits(Words{1, 2, 3}, Words{1, 2, 3}), 0);
  EXPECT_EQ(count_shifted_edits(Words{9, 1, 2, 3}, Words{1, 2, 4}), 2);
}

TEST(ShiftedEdits, OfEmptySequencesAreTheWordsOfTheOther) {
  EXPECT_EQ(count_shifted_edits(Words{}, Words{}), 0);
  EXPECT_EQ(count_shifted_edits(Words{1, 2}, Words{}), 2);
  EXPECT_EQ(count_shifted_edits(Words{}, Words{1, 2, 3}), 3);
}

}  // namespace
}  // namespace translate
