#include "core/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

#include "core/error.h"

namespace translate {
namespace {

/// Pages of this process that are in memory.
long resident_pages() {
  long total = 0;
  long resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident;
}

TEST(PageBlock, HoldsZeroesUntilWritten) {
  PageBlock<int> block(100'000);
  EXPECT_EQ(block.size(), 100'000U);
  EXPECT_THAT(block.span(), ::testing::Each(0));
  block.span()[99'999] = 7;
  EXPECT_EQ(std::as_const(block).span().back(), 7);
}

TEST(PageBlock, MovesWithItsContent) {
  PageBlock<int> block(3);
  block.span()[1] = 5;
  PageBlock<int> moved = std::move(block);
  EXPECT_EQ(moved.span()[1], 5);
  PageBlock<int> other(10);
  other = std::move(moved);
  EXPECT_THAT(other.span(), ::testing::ElementsAre(0, 5, 0));
}

TEST(PageBlock, GrowsBehindWhatItHolds) {
  PageBlock<int> block;
  block.grow(3);
  block.span()[2] = 5;
  for (std::size_t size = 4; size < 10'000'000; size *= 2) {
    block.span().back() = 6;
    const auto before = block.size();
    block.grow(size);
    ASSERT_EQ(block.size(), size);
    EXPECT_EQ(block.span()[before - 1], 6);
    EXPECT_EQ(block.span().back(), before == size ? 6 : 0);
  }
  block.span()[2] = 5;
  EXPECT_THROW(block.grow(std::size_t{1} << 60U), RuntimeError);
  EXPECT_EQ(block.span()[2], 5);  // an error changes nothing
}

TEST(PageBlock, MayBeEmpty) {
  EXPECT_TRUE(PageBlock<long>().span().empty());
  EXPECT_TRUE(PageBlock<long>(0).span().empty());
}

TEST(PageBlock, GivesItsMemoryBackAtOnce) {
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  const long pages = static_cast<long>(kBytes) / ::sysconf(_SC_PAGESIZE);
  const long before = resident_pages();
  {
    PageBlock<char> block(kBytes);
    EXPECT_LT(resident_pages() - before, pages / 2);
    std::ranges::fill(block.span(), 'x');
    EXPECT_GT(resident_pages() - before, pages / 2);
  }
  EXPECT_LT(resident_pages() - before, pages / 2);
}

TEST(PageBlock, SaysHowMuchCannotBeHad) {
  try {
    const PageBlock<char> block(std::size_t{1} << 62U);
    FAIL() << "no error";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("cannot allocate 4398046511104 MiB of memory"));
  }
}

}  // namespace
}  // namespace translate
