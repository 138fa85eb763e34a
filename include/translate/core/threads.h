#pragma once

#include <filesystem>
#include <optional>

namespace translate {

/// How many processors this process may keep busy, at least 1: those it may be scheduled on (taskset, cpusets) or what
/// its control groups' CPU quota allows, rounded up, whichever is less.
[[nodiscard]] int available_processors();

/// The CPU quota of this process's control groups (version 1 or 2, the tightest from its own group up to the root) in
/// processors, e.g. 1.5, or nothing where there is none. `root` is the file system's root; tests give another.
[[nodiscard]] std::optional<double> cgroup_processors(const std::filesystem::path& root = "/");

/// Sets how many threads this project's own kernels compute with; 0 = available_processors(). Returns the number set.
/// Where LibTorch's operators compute as well: set_threads (core/device.h).
int set_kernel_threads(int threads);

/// That number; available_processors() before it was set.
[[nodiscard]] int kernel_threads();

}  // namespace translate
