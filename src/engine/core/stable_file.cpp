#include "core/stable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.h"

namespace translate {

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw RuntimeError(fmt::format("{}: cannot be read: {}", path.string(), reason));
}

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  fail(path, std::generic_category().message(error));
}

FileDescriptor open_for_reading(const std::filesystem::path& path) {
  // A pipe without a writer must not block the program; it is refused below.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) {
    fail(path, errno);
  }
  return file;
}

struct stat status_of(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) {
    fail(path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    fail(path, EISDIR);
  }
  if (!S_ISREG(status.st_mode)) {
    fail(path, "it is a pipe or a device, expected a file");
  }
  return status;
}

FileStamp stamp_of(const FileDescriptor& file, const std::filesystem::path& path) {
  const struct stat status = status_of(file, path);
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec,
          .changed = status.st_ctim.tv_sec * kNanoseconds + status.st_ctim.tv_nsec};
}

/// True if the content of a file has changed. `changed` alone also differs after a rename or a new link.
bool is_other_content(const FileStamp& before, const FileStamp& now) {
  return before.inode != now.inode || before.device != now.device || before.size != now.size ||
         before.modified != now.modified;
}

}  // namespace

StableFile::StableFile(const std::filesystem::path& path)
    : path_(path), file_(open_for_reading(path)), stamp_(stamp_of(file_, path)) {}

StableFile::StableFile(const std::filesystem::path& path, const FileStamp& expected) : StableFile(path) {
  if (is_other_content(expected, stamp_)) {
    fail_changed();
  }
}

void StableFile::fail_changed() const {
  throw RuntimeError(
      fmt::format("{}: was changed while this program read it; start again once it is whole", path_.string()));
}

void StableFile::read_unchecked(std::uint64_t offset, std::span<char> to) const {
  while (!to.empty()) {
    const ssize_t count = ::pread(file_.number(), to.data(), to.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      fail(path_, errno);
    }
    if (count == 0) {
      fail_changed();  // it had these bytes when it was opened
    }
    to = to.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

void StableFile::check_unchanged() const {
  if (is_other_content(stamp_, stamp_of(file_, path_))) {
    fail_changed();
  }
}

void StableFile::read(std::uint64_t offset, std::span<char> to) const {
  read_unchecked(offset, to);
  check_unchanged();
}

std::string StableFile::read_all() const {
  std::string bytes(size(), '\0');
  read(0, bytes);
  return bytes;
}

}  // namespace translate
