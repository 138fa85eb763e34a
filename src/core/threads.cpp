#include "translate/core/threads.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace translate {
namespace {

using Quota = std::optional<double>;

Quota smaller(Quota left, Quota right) {
  if (!left || !right) return left ? left : right;
  return std::min(*left, *right);
}

/// Version 2: cpu.max holds "quota period" in microseconds, or "max period".
Quota quota_of_v2_group(const std::filesystem::path& group) {
  std::ifstream file(group / "cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
  return std::strtod(quota.c_str(), nullptr) / period;
}

/// Version 1: two files; a quota of -1 is none.
Quota quota_of_v1_group(const std::filesystem::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

/// The tightest quota from the group up to the mount. In a container the path may name a group of the host that is not
/// to be seen here: the missing folders are passed over and the mount itself, the container's group, still counts.
Quota tightest(const std::filesystem::path& mount, std::filesystem::path group,
               Quota (*quota_of)(const std::filesystem::path&)) {
  Quota result = quota_of(mount);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    result = smaller(result, quota_of(mount / group));
  }
  return result;
}

/// True where a comma-separated list of version 1 controllers holds "cpu".
bool names_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "cpu") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
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

}  // namespace

std::optional<double> cgroup_processors(const std::filesystem::path& root) {
  std::ifstream groups(root / "proc/self/cgroup");
  const std::filesystem::path mounts = root / "sys/fs/cgroup";
  Quota result;
  // Each line is "number:controllers:path"; version 2 has the number 0 and no controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::filesystem::path group = line.substr(second + 1);
    if (controllers.empty()) {
      result = smaller(result, tightest(mounts, group, quota_of_v2_group));
    } else if (names_cpu(controllers)) {
      result = smaller(result, tightest(mounts / "cpu", group, quota_of_v1_group));
      result = smaller(result, tightest(mounts / controllers, group, quota_of_v1_group));
    }
  }
  return result;
}

int available_processors() {
  int count = processors_in_affinity_mask();
  if (const Quota quota = cgroup_processors()) count = std::min(count, static_cast<int>(std::ceil(*quota)));
  return std::max(count, 1);
}

}  // namespace translate
