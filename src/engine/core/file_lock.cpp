#include "core/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace translate {

std::optional<FileLock> FileLock::try_lock(const std::filesystem::path& path) {
  FileDescriptor file = open_file(path, O_RDWR | O_CREAT, "open the lock file");
  if (repeat_interrupted([&] { return ::flock(file.number(), LOCK_EX | LOCK_NB); }) != 0) {
    if (errno == EWOULDBLOCK) {
      return std::nullopt;
    }
    fail_with_reason("lock", path);
  }
  cut_off(file, 0, path);
  write_all(file, fmt::format("{}\n", ::getpid()), path);
  return FileLock(std::move(file));
}

}  // namespace translate
