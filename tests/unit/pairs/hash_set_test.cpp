#include "pairs/hash_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace translate {
namespace {

TEST(HashSet, HoldsWhatASetHolds) {
  HashSet found;
  std::set<std::uint64_t> expected;
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) {
    // Some far apart, some that follow each other, some that differ in the upper bits alone.
    const auto hash = i % 3 == 0 ? random() : i % 3 == 1 ? random() % 20'000 + 1 : (random() % 5'000 + 1) << 44U;
    ASSERT_EQ(found.insert(hash), expected.insert(hash).second) << hash;
  }
  EXPECT_EQ(found.size(), expected.size());
  for (const auto hash : expected) {
    ASSERT_FALSE(found.insert(hash)) << hash;
  }
}

TEST(HashSet, TakesZeroToo) {
  HashSet set;
  EXPECT_TRUE(set.insert(0));
  EXPECT_FALSE(set.insert(0));
}

}  // namespace
}  // namespace translate
