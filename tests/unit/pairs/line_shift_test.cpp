#include "pairs/line_shift.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace translate {
namespace {

/// Sentences of 20 to 120 characters, and translations that are about a fifth longer.
std::vector<SentencePair> sentences(std::size_t count) {
  std::mt19937 random(1);
  std::vector<SentencePair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = 20 + random() % 100;
    pairs.push_back({std::string(size, 'a'), std::string(size * 12 / 10 + random() % 8, 'b')});
  }
  return pairs;
}

std::optional<LineShift::Found> found_in(const std::vector<SentencePair>& pairs) {
  LineShift shift;
  for (const auto& pair : pairs) {
    shift.add(pair);
  }
  return shift.found();
}

TEST(LineShift, LinesThatGoTogetherAreNotShifted) { EXPECT_FALSE(found_in(sentences(10'000))); }

TEST(LineShift, AMissingLineIsNoticedBehindItsPlace) {
  for (const int lines : {1, -1, 3}) {
    const auto straight = sentences(10'000);
    auto pairs = straight;
    for (std::size_t i = 5'000; i + 3 < pairs.size(); ++i) {
      pairs[i].target = straight[i - static_cast<std::size_t>(lines)].target;
    }
    const auto found = found_in(pairs);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->lines, lines);
    EXPECT_GE(found->first, 4'600U);
    EXPECT_LE(found->first, 5'800U);
  }
}

TEST(LineShift, LengthsThatTellNothingAreNotShifted) {
  auto pairs = sentences(10'000);
  std::mt19937 random(2);
  for (auto& pair : pairs) {
    pair.target = std::string(20 + random() % 100, 'b');
  }
  EXPECT_FALSE(found_in(pairs));
}

}  // namespace
}  // namespace translate
