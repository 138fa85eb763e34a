#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "core/processor.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

namespace fs = std::filesystem;

class ThreadsTest : public TemporaryFolderTest {
 protected:
  void write(const std::string& path, const std::string& content) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << content;
  }
};

TEST_F(ThreadsTest, NoControlGroupsNoQuota) { EXPECT_EQ(cgroup_processors(folder_), std::nullopt); }

TEST_F(ThreadsTest, Version2TakesTheTightestGroupUpToTheRoot) {
  write("proc/self/cgroup", "0::/a/b\n");
  EXPECT_EQ(cgroup_processors(folder_), std::nullopt);
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_processors(folder_), std::nullopt);
  write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  EXPECT_EQ(cgroup_processors(folder_), 1.5);
  write("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
  EXPECT_EQ(cgroup_processors(folder_), 1.5);
  write("sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_processors(folder_), 0.5);
}

TEST_F(ThreadsTest, AContainersOwnGroupIsTheMount) {
  write("proc/self/cgroup", "0::/system.slice/not-seen-here\n");
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(cgroup_processors(folder_), 2.0);
}

TEST_F(ThreadsTest, Version1ReadsQuotaAndPeriodOfTheCpuController) {
  write("proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/job\n3:cpuset:/s\n");
  write("sys/fs/cgroup/memory/m/cpu.cfs_quota_us", "1000\n");
  write("sys/fs/cgroup/memory/m/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_processors(folder_), std::nullopt);
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_processors(folder_), std::nullopt);
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(cgroup_processors(folder_), 3.0);
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_processors(folder_), 1.0);
}

TEST(AvailableProcessorsTest, FollowsTheAffinityOfTheThread) {
#ifdef TRANSLATE_PORTABLE
  GTEST_SKIP() << "only Linux has affinities of threads";
#endif
  EXPECT_GE(available_processors(), 1);
  EXPECT_LE(available_processors(), static_cast<int>(std::thread::hardware_concurrency()));
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t processor = 0; processor < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++processor) {
    if (CPU_ISSET(processor, &before)) {
      CPU_SET(processor, &one);
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(available_processors(), 1);
  EXPECT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace translate
