#include "core/file_descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace translate {

namespace {

[[noreturn]] void fail_to_write(const std::filesystem::path& path) {
  if (errno == EPIPE) {
    throw BrokenPipe(path.string());
  }
  fail_with_reason("write", path);
}

}  // namespace

bool is_fault_of_path(int error) {
  constexpr std::array kFaults = {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG, ENXIO, ENODEV};
  return std::ranges::find(kFaults, error) != kFaults.end();
}

void throw_read_error(const std::string& message, int error) {
  if (is_fault_of_path(error)) {
    throw DataError(message);
  }
  throw RuntimeError(message);
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) {
    ::close(number_);
  }
}

void fail_with_reason(std::string_view what, const std::filesystem::path& path) {
  const int error = errno;
  const auto message = fmt::format("cannot {} {}: {}", what, path.string(), std::generic_category().message(error));
  if (is_fault_of_path(error)) {
    throw PathError(message);
  }
  throw RuntimeError(message);
}

FileDescriptor open_file(const std::filesystem::path& path, int flags, std::string_view what,
                         const std::filesystem::path& name) {
  constexpr mode_t kMode = 0666;  // reduced by the process's umask
  const int number = repeat_interrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kMode); });
  if (number < 0) {
    fail_with_reason(what, name);
  }
  return FileDescriptor(number);
}

FileDescriptor open_file(const std::filesystem::path& path, int flags, std::string_view what) {
  return open_file(path, flags, what, path);
}

std::size_t read_some(const FileDescriptor& file, std::string& buffer, const std::filesystem::path& path) {
  const ssize_t count = repeat_interrupted([&] { return ::read(file.number(), buffer.data(), buffer.size()); });
  if (count < 0) {
    fail_with_reason("read", path);
  }
  return static_cast<std::size_t>(count);
}

std::size_t write_some(const FileDescriptor& file, std::string_view bytes, const std::filesystem::path& path) {
  const ssize_t count = repeat_interrupted([&] { return ::write(file.number(), bytes.data(), bytes.size()); });
  if (count < 0) {
    fail_to_write(path);
  }
  return static_cast<std::size_t>(count);
}

void write_all(const FileDescriptor& file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    bytes.remove_prefix(write_some(file, bytes, path));
  }
}

void sync_file(const FileDescriptor& file, const std::filesystem::path& path) {
  // Pipes and some devices cannot be flushed (EINVAL), and need not be.
  if (repeat_interrupted([&] { return ::fsync(file.number()); }) != 0 && errno != EINVAL) {
    fail_with_reason("flush to disk", path);
  }
}

void cut_off(const FileDescriptor& file, std::int64_t size, const std::filesystem::path& path) {
  if (repeat_interrupted([&] { return ::ftruncate(file.number(), size); }) != 0) {
    fail_with_reason("write", path);
  }
}

}  // namespace translate
