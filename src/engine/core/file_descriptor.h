#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/error.h"

namespace translate {

/// True if a reason of the system (errno) lies in the path that was given: nothing is there, it is a folder, access is
/// denied. False for a lack of open files or memory, a broken disk and the like.
[[nodiscard]] bool is_fault_of_path(int error);

/// Throws for text that cannot be read because of `error` (errno): DataError if is_fault_of_path, else RuntimeError.
[[noreturn]] void throw_read_error(const std::string& message, int error);

/// A RuntimeError that lies in the path that was given, or in a file that is too large to be the right one: a caller
/// that has the path from the user catches it and blames the user.
class PathError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// An open file descriptor that closes itself.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

/// Makes a call of the system, again if a signal interrupts it, and returns its result.
template <class Call>
auto repeat_interrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) {
    result = call();
  }
  return result;
}

// The functions below go on where a signal interrupts them, and throw RuntimeError with the path and the system's
// reason: a PathError if that lies in the path, BrokenPipe if nobody reads a pipe any more.

/// Throws such an error for `errno`: "cannot <what> <path>: <reason>".
[[noreturn]] void fail_with_reason(std::string_view what, const std::filesystem::path& path);

/// Opens a file with the flags of open(2), without handing it down to other programs; errors say that one cannot
/// `what` the file `name`.
[[nodiscard]] FileDescriptor open_file(const std::filesystem::path& path, int flags, std::string_view what,
                                       const std::filesystem::path& name);
[[nodiscard]] FileDescriptor open_file(const std::filesystem::path& path, int flags, std::string_view what);

/// Reads at most buffer.size() bytes; returns how many, 0 at the end.
std::size_t read_some(const FileDescriptor& file, std::string& buffer, const std::filesystem::path& path);

/// Writes at most bytes.size() bytes; returns how many.
std::size_t write_some(const FileDescriptor& file, std::string_view bytes, const std::filesystem::path& path);

/// Writes all bytes.
void write_all(const FileDescriptor& file, std::string_view bytes, const std::filesystem::path& path);

/// Flushes a file to the disk; without effect on pipes and devices, which cannot be flushed.
void sync_file(const FileDescriptor& file, const std::filesystem::path& path);

/// Cuts a file off after `size` bytes.
void cut_off(const FileDescriptor& file, std::int64_t size, const std::filesystem::path& path);

}  // namespace translate
