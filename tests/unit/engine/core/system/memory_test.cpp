
#include "core/system/memory.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/pages.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

class AvailableMemoryTest : public TemporaryFolderTest {
 protected:
  AvailableMemoryTest() {
    write("proc/meminfo", "MemTotal:       9000000 kB\nMemFree:         100 kB\nMemAvailable:    1000 kB\n");
  }

  void write(const std::string& path, const std::string& content) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << content;
  }
  [[nodiscard]] std::int64_t available() const { return available_memory(folder_); }
};

TEST_F(AvailableMemoryTest, IsWhatTheSystemHasAvailable) { EXPECT_EQ(available(), 1024 * 1000); }

TEST_F(AvailableMemoryTest, Version2LeavesTheLimitLessWhatCannotBeDropped) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/b/memory.current", "5000\n");
  EXPECT_EQ(available(), 1024 * 1000);
  write("sys/fs/cgroup/a/memory.max", "70000\n");
  write("sys/fs/cgroup/a/memory.current", "50000\n");
  EXPECT_EQ(available(), 20000);
  write("sys/fs/cgroup/a/memory.stat", "anon 1\nactive_file 7\ninactive_file 10000\n");
  EXPECT_EQ(available(), 30000);
  write("sys/fs/cgroup/a/b/memory.high", "6000\n");
  EXPECT_EQ(available(), 1000);
  write("sys/fs/cgroup/a/b/memory.current", "6001\n");
  EXPECT_EQ(available(), 0);
}

TEST_F(AvailableMemoryTest, Version1LeavesTheLimitLessWhatCannotBeDropped) {
  write("proc/self/cgroup", "5:memory:/job\n4:cpu:/other\n");
  write("sys/fs/cgroup/cpu/other/memory.limit_in_bytes", "1\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "123456\n");
  EXPECT_EQ(available(), 1024 * 1000);
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "90000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "80000\n");
  write("sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 3000\n");
  EXPECT_EQ(available(), 13000);
}

TEST_F(AvailableMemoryTest, WithoutAnyFigureThereIsNoLimit) {
  fs::remove_all(folder_ / "proc");
  EXPECT_GT(available(), std::int64_t{1} << 60);
}

class MemoryCapacityTest : public AvailableMemoryTest {
 protected:
  [[nodiscard]] std::int64_t capacity() const { return memory_capacity(folder_); }
};

TEST_F(MemoryCapacityTest, IsAllThatTheSystemHas) {
  EXPECT_EQ(capacity(), std::int64_t{9000000} * 1024);
  write("proc/meminfo", "MemTotal: 4000 kB\nMemAvailable: 10 kB\nSwapTotal: 1000 kB\nSwapFree: 0 kB\n");
  EXPECT_EQ(capacity(), 5000 * 1024);
}

TEST_F(MemoryCapacityTest, ControlGroupsLimitItWhateverIsInUse) {
  write("proc/meminfo", "MemTotal: 4000 kB\nSwapTotal: 1 kB\n");
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "90000\n");
  write("sys/fs/cgroup/a/b/memory.current", "80000\n");
  EXPECT_EQ(capacity(), 91024);
}

TEST_F(MemoryCapacityTest, IsNeverLessThanWhatIsAvailable) { EXPECT_GE(memory_capacity(), available_memory()); }

TEST(MemoryTest, ResourceLimitsCount) {
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit before{};
    ASSERT_EQ(getrlimit(resource, &before), 0);
    std::ifstream status("/proc/self/status");
    const std::string name = resource == RLIMIT_AS ? "VmSize:" : "VmData:";
    double used = 0;
    for (std::string word; status >> word && word != name;) {
    }
    ASSERT_TRUE(status >> used) << name;
    rlimit limit = before;
    limit.rlim_cur = static_cast<rlim_t>(used) * 1024 + 64 * kMebibyte;
    ASSERT_EQ(setrlimit(resource, &limit), 0);
    EXPECT_LE(available_memory(), 65 * kMebibyte) << name;
    EXPECT_GT(available_memory(), 30 * kMebibyte) << name;
    EXPECT_EQ(setrlimit(resource, &before), 0);
  }
}

/// True if `work` throws an error that is a lack of memory.
template <typename Work>
bool runs_out_of_memory(const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return is_out_of_memory(error);
  }
  return false;
}

TEST(MemoryTest, KnowsALackOfMemoryWhereverItIsReported) {
  constexpr std::int64_t kTooMuch = std::int64_t{1} << 50;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose operator new ends the program
  EXPECT_TRUE(runs_out_of_memory([] { const std::vector<char> bytes(static_cast<std::size_t>(kTooMuch)); }));
#endif
  EXPECT_TRUE(runs_out_of_memory([] { const Pages pages(static_cast<std::size_t>(kTooMuch)); }));
  EXPECT_TRUE(is_out_of_memory(std::runtime_error("CUDA error: out of memory")));
  EXPECT_TRUE(is_out_of_memory(std::runtime_error("could not create a primitive")));  // oneDNN
}

TEST(MemoryTest, OtherErrorsAreNoLackOfMemory) {
  EXPECT_FALSE(is_out_of_memory(std::runtime_error("No space left on device")));
}

}  // namespace
}  // namespace translate
