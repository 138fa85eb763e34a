#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/file_descriptor.h"

namespace translate {

/// Identifies the state of a file without reading it: a file with the same stamp has the same content. (File systems
/// keep times in steps of some milliseconds, a few in seconds; changes within one step are not told apart.)
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;     ///< bytes
  std::int64_t modified = 0;  ///< last write of the content, in nanoseconds since 1970
  std::int64_t changed = 0;   ///< last change of content or metadata; programs cannot set it

  bool operator==(const FileStamp&) const = default;
};

/// An open file whose content must stay as it is while it is read. It is read into memory of this process and never
/// mapped, so that a file that is truncated or overwritten meanwhile gives an error rather than wrong bytes or SIGBUS.
/// Several threads may read at the same time.
class StableFile {
 public:
  /// Opens a file. Throws RuntimeError with the path and the system's reason; folders and devices are refused.
  explicit StableFile(const std::filesystem::path& path);
  /// The same, and throws RuntimeError if the file does not have this stamp.
  StableFile(const std::filesystem::path& path, const FileStamp& expected);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }
  [[nodiscard]] std::uint64_t size() const { return stamp_.size; }

  /// Fills `to` with the bytes from `offset` on, which must be within the file, and checks that the file is unchanged.
  /// Throws RuntimeError if it has changed or cannot be read.
  void read(std::uint64_t offset, std::span<char> to) const;
  /// Returns the whole content, checked as by read().
  [[nodiscard]] std::string read_all() const;

  /// The same as read() without the check for changes, for many small reads: the caller must call check_unchanged()
  /// after the last of them, before it relies on the bytes.
  void read_unchecked(std::uint64_t offset, std::span<char> to) const;
  /// Throws RuntimeError if the file has changed since it was opened.
  void check_unchanged() const;

 private:
  [[noreturn]] void fail_changed() const;

  std::filesystem::path path_;
  FileDescriptor file_;
  FileStamp stamp_;
};

}  // namespace translate
