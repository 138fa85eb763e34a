#include "core/system/memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <string>

#include "core/system/control_groups.h"

namespace translate {

namespace {

constexpr double kBytesPerKibibyte = 1024.0;

/// The number after a name, as in "MemAvailable:   123 kB" or "inactive_file 123"; nothing if the name is missing.
GroupValue named_number(const std::filesystem::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name) && (line[name.size()] == ' ' || line[name.size()] == ':')) {
      return std::strtod(line.c_str() + name.size() + 1, nullptr);
    }
  }
  return std::nullopt;
}

/// The single number in a file; nothing if it holds a word ("max") or is missing.
GroupValue only_number(const std::filesystem::path& path) {
  std::ifstream file(path);
  double number = 0;
  if (!(file >> number)) {
    return std::nullopt;
  }
  return number;
}

/// The remainder of a limit after `used`, of which `cached` can be dropped.
GroupValue left(GroupValue limit, GroupValue used, GroupValue cached) {
  if (!limit) {
    return std::nullopt;
  }
  return std::max(*limit - std::max(used.value_or(0) - cached.value_or(0), 0.0), 0.0);
}

GroupValue left_in_v1_group(const std::filesystem::path& group) {
  return left(only_number(group / "memory.limit_in_bytes"), only_number(group / "memory.usage_in_bytes"),
              named_number(group / "memory.stat", "total_inactive_file"));
}

GroupValue left_in_v2_group(const std::filesystem::path& group) {
  const auto limit = smaller(only_number(group / "memory.max"), only_number(group / "memory.high"));
  return left(limit, only_number(group / "memory.current"), named_number(group / "memory.stat", "inactive_file"));
}

GroupValue limit_in_v1_group(const std::filesystem::path& group) {
  return only_number(group / "memory.limit_in_bytes");
}

GroupValue limit_in_v2_group(const std::filesystem::path& group) { return only_number(group / "memory.max"); }

/// The limit of a resource of this process, in its own unit.
GroupValue resource_limit(int resource) {
  rlimit limit{};
  if (getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return static_cast<double>(limit.rlim_cur);
}

/// A value in bytes; if it is unknown, more than any machine has.
std::int64_t bounded(GroupValue figure) {
  constexpr auto kUnknown = static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 2.0;
  return static_cast<std::int64_t>(std::min(figure.value_or(kUnknown), kUnknown));
}

/// The remainder of a resource limit after the use in the field `name` of /proc/self/status.
GroupValue left_of_resource(int resource, const std::filesystem::path& root, const std::string& name) {
  const auto limit = resource_limit(resource);
  if (!limit) {
    return std::nullopt;
  }
  const auto used = named_number(root / "proc/self/status", name);
  return left(limit, used.value_or(0) * kBytesPerKibibyte, std::nullopt);
}

}  // namespace

std::int64_t available_memory(const std::filesystem::path& root) {
  auto available = named_number(root / "proc/meminfo", "MemAvailable");
  if (available) {
    *available *= kBytesPerKibibyte;
  }
  GroupValue least = smaller(available, tightest_group_value(root, "memory",
                                                             {.version_1 = left_in_v1_group,  //
                                                              .version_2 = left_in_v2_group}));
  least = smaller(least, left_of_resource(RLIMIT_AS, root, "VmSize"));
  least = smaller(least, left_of_resource(RLIMIT_DATA, root, "VmData"));
  return bounded(least);
}

std::int64_t memory_capacity(const std::filesystem::path& root) {
  const auto installed = [&](const std::string& name) -> GroupValue {
    const auto kibibytes = named_number(root / "proc/meminfo", name);
    return kibibytes ? GroupValue(*kibibytes * kBytesPerKibibyte) : std::nullopt;
  };
  GroupValue least =
      smaller(installed("MemTotal"),
              tightest_group_value(root, "memory", {.version_1 = limit_in_v1_group, .version_2 = limit_in_v2_group}));
  if (least) {
    *least += installed("SwapTotal").value_or(0);
  }
  for (const int resource : {RLIMIT_AS, RLIMIT_DATA}) {
    least = smaller(least, resource_limit(resource));
  }
  return bounded(least);
}

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024L;
}

std::int64_t resident_memory_bytes() {
  return static_cast<std::int64_t>(named_number("/proc/self/status", "VmRSS").value_or(0) * kBytesPerKibibyte);
}

std::int64_t resident_peak() {
  return static_cast<std::int64_t>(named_number("/proc/self/status", "VmHWM").value_or(0) * kBytesPerKibibyte);
}

bool reset_resident_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

bool says_out_of_memory(std::string_view message) {
  // oneDNN cannot create a primitive when it has no room for its code or its scratchpad, and does not tell which.
  for (const std::string_view words :
       {"DefaultCPUAllocator: can't allocate memory", "DefaultCPUAllocator: not enough memory", "out of memory",
        "Cannot allocate memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED",
        "could not create a primitive"}) {
    if (message.find(words) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

bool is_out_of_memory(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr || says_out_of_memory(error.what());
}

}  // namespace translate
