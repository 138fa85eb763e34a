#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/threads.h"

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

/// Waits until `count` threads have called it; false if that takes too long.
bool all_arrive(std::atomic<int>& arrived, int count) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  ++arrived;
  while (arrived < count && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return arrived >= count;
}

TEST(RunWorkers, CallsAtTheSameTimeHaveWorkersOfTheirOwn) {
  std::atomic<int> arrived{0};
  const auto worker = [&] {
    EXPECT_TRUE(all_arrive(arrived, 6));
    EXPECT_EQ(parallel_threads(), 1);
  };
  std::thread other([&] { run_workers(3, worker); });
  run_workers(3, worker);
  other.join();
}

TEST(RunWorkers, ASingleOneMayUseAllThreads) {
  const auto threads = parallel_threads();
  run_workers(1, [&] { EXPECT_EQ(parallel_threads(), threads); });
}

TEST(RunWorkers, PassesOnWhatAWorkerThrows) {
  std::atomic<int> ended{0};
  EXPECT_THROW(run_workers(3, [&] { ++ended == 2 ? throw std::runtime_error("2") : void(); }), std::runtime_error);
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(parallel_threads(), kernel_threads());
}

}  // namespace
}  // namespace translate
