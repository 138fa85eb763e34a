#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "core/processor.h"

namespace translate {
namespace {

TEST(ParallelChunks, DoesEachChunkOnce) {
  for (const std::int64_t count : {0, 1, 2, 3, 1000}) {
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
    parallel_chunks(count, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
    for (const auto& times : done) {
      EXPECT_EQ(times, 1);
    }
  }
}

TEST(ParallelChunks, PassesOnWhatAChunkThrows) {
  EXPECT_THROW(parallel_chunks(100, [](std::int64_t i) { i == 57 ? throw std::runtime_error("57") : void(); }),
               std::runtime_error);
  std::atomic<int> done{0};
  parallel_chunks(100, [&](std::int64_t) { ++done; });
  EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace translate
