#include "pairs/frequent_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace translate {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(FrequentTargets, TheSourcesWithTheBestScoresAreKept) {
  FrequentTargets targets(2);
  for (const std::uint64_t key : {7U, 7U, 7U, 7U, 8U, 8U}) {
    targets.count(key);
  }
  EXPECT_TRUE(targets.has_any());
  targets.add(7, 0, 1.0F);
  targets.add(8, 1, 0.0F);
  targets.add(7, 2, 3.0F);
  targets.add(7, 3, 1.0F);
  targets.add(8, 4, 0.0F);
  targets.add(7, 5, 0.5F);
  EXPECT_THAT(targets.superfluous(), UnorderedElementsAre(3U, 5U));
}

TEST(FrequentTargets, ThereAreNoneWhereNoTargetHasMoreSources) {
  FrequentTargets targets(2);
  for (const std::uint64_t key : {1U, 2U, 2U, 3U, 3U}) {
    targets.count(key);
  }
  EXPECT_FALSE(targets.has_any());
  EXPECT_THAT(targets.superfluous(), IsEmpty());
}

TEST(FrequentTargets, CaseAndPunctuationDoNotCount) {
  EXPECT_EQ(FrequentTargets::key_of({"a", "Read more!"}), FrequentTargets::key_of({"b", "read more"}));
  EXPECT_NE(FrequentTargets::key_of({"a", "Read more"}), FrequentTargets::key_of({"a", "Read less"}));
}

}  // namespace
}  // namespace translate
