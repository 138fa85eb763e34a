#include "core/system/system_calls.h"

#if !defined(__linux__) || defined(TRANSLATE_PORTABLE)

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

namespace translate {

int allowed_processors() { return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U)); }

unsigned long processor_capabilities(int /*word*/) { return 0; }

void* resize_pages(void* address, std::size_t bytes, std::size_t wanted) {
  void* const larger = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (larger != MAP_FAILED) {
    std::memcpy(larger, address, std::min(bytes, wanted));
    ::munmap(address, bytes);
  }
  return larger;
}

void populate_pages(void* /*address*/, std::size_t /*bytes*/) {}

void end_with_parent(int /*signal*/) {}

int exchange_paths(const std::filesystem::path& /*first*/, const std::filesystem::path& /*second*/) { return ENOSYS; }

std::filesystem::path started_path() { return {}; }

std::optional<std::filesystem::path> path_of_open_file(int /*descriptor*/) { return std::nullopt; }

int open_pipe(int* ends) {
  if (::pipe(ends) != 0) {
    return -1;
  }
  for (int i = 0; i < 2; ++i) {
    (void)::fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  }
  return 0;
}

}  // namespace translate

#endif
