#include "translate/core/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "translate/core/control_groups.h"

namespace translate {
namespace {

/// Version 2: cpu.max holds "quota period" in microseconds, or "max period".
GroupFigure quota_of_v2_group(const std::filesystem::path& group) {
  std::ifstream file(group / "cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
  return std::strtod(quota.c_str(), nullptr) / period;
}

/// Version 1: two files; a quota of -1 is none.
GroupFigure quota_of_v1_group(const std::filesystem::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

int processors_in_affinity_mask() {
  for (std::size_t processors = 1024; processors <= (std::size_t{1} << 20U); processors *= 2) {
    std::vector<cpu_set_t> set(CPU_ALLOC_SIZE(processors) / sizeof(cpu_set_t) + 1);
    const std::size_t bytes = set.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, set.data()) == 0) return CPU_COUNT_S(bytes, set.data());
    if (errno != EINVAL) break;  // EINVAL: the kernel's mask is longer
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

std::atomic<int> threads_of_kernels{0};  // 0: not set

}  // namespace

std::optional<double> cgroup_processors(const std::filesystem::path& root) {
  return tightest_group_figure(root, "cpu", {.version_1 = quota_of_v1_group, .version_2 = quota_of_v2_group});
}

int available_processors() {
  int count = processors_in_affinity_mask();
  if (const GroupFigure quota = cgroup_processors()) count = std::min(count, static_cast<int>(std::ceil(*quota)));
  return std::max(count, 1);
}

int set_kernel_threads(int threads) {
  const int wanted = threads > 0 ? threads : available_processors();
  threads_of_kernels = wanted;
  return wanted;
}

int kernel_threads() {
  const int threads = threads_of_kernels;
  return threads > 0 ? threads : set_kernel_threads(0);
}

}  // namespace translate
