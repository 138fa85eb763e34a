#include "core/system/system_calls.h"

#if defined(__linux__) && !defined(TRANSLATE_PORTABLE)

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <stdio.h>  // renameat2
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>
#include <vector>

namespace translate {

int allowed_processors() {
  for (std::size_t processors = 1024; processors <= (std::size_t{1} << 20U); processors *= 2) {
    std::vector<cpu_set_t> set(CPU_ALLOC_SIZE(processors) / sizeof(cpu_set_t) + 1);
    const std::size_t bytes = set.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, set.data()) == 0) {
      return CPU_COUNT_S(bytes, set.data());
    }
    if (errno != EINVAL) {
      break;  // EINVAL: the kernel's mask is longer
    }
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

unsigned long processor_capabilities(int word) { return ::getauxval(word == 1 ? AT_HWCAP : AT_HWCAP2); }

void* resize_pages(void* address, std::size_t bytes, std::size_t wanted) {
  return ::mremap(address, bytes, wanted, MREMAP_MAYMOVE);
}

void populate_pages(void* address, std::size_t bytes) {
  (void)::madvise(address, bytes, MADV_POPULATE_WRITE);  // older kernels do not know it
}

void end_with_parent(int signal) { ::prctl(PR_SET_PDEATHSIG, signal); }

int exchange_paths(const std::filesystem::path& first, const std::filesystem::path& second) {
  return ::renameat2(AT_FDCWD, first.c_str(), AT_FDCWD, second.c_str(), RENAME_EXCHANGE) == 0 ? 0 : errno;
}

std::filesystem::path started_path() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): getauxval returns the address as a number.
  const auto* path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return path != nullptr ? path : "";
}

std::optional<std::filesystem::path> path_of_open_file(int descriptor) {
  std::error_code error;
  auto path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), error);
  return error ? std::nullopt : std::optional(std::move(path));
}

int open_pipe(int* ends) { return ::pipe2(ends, O_CLOEXEC); }

}  // namespace translate

#endif
