#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "translate/core/file.h"

namespace translate {

/// Tells one state of a file from another without reading it: a file with the same stamp has the same content. (A file
/// system keeps times in steps of some milliseconds, a few of them in seconds; changes within one step look alike.)
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;     ///< bytes
  std::int64_t modified = 0;  ///< when the content was written last, in nanoseconds since 1970
  std::int64_t changed = 0;   ///< when the content or anything about the file changed last; programs cannot set it

  bool operator==(const FileStamp&) const = default;
};

/// An open file whose content must stay as it is while it is read. It is read into memory of this process and never
/// mapped, so that a file which is cut or overwritten meanwhile gives an error and neither wrong bytes nor SIGBUS.
/// Several threads may read at once.
class StableFile {
 public:
  /// Opens a file. Throws RuntimeError with the path and the system's reason; folders and devices are refused.
  explicit StableFile(const std::filesystem::path& path);
  /// The same, and throws RuntimeError where the file is not the one that had this stamp.
  StableFile(const std::filesystem::path& path, const FileStamp& expected);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }
  [[nodiscard]] std::uint64_t size() const { return stamp_.size; }

  /// Fills `to` with the bytes from `offset` on, which must be within the file, and checks that the file is unchanged.
  /// Throws RuntimeError where it is not, or cannot be read.
  void read(std::uint64_t offset, std::span<char> to) const;
  /// All of its bytes, checked as by read().
  [[nodiscard]] std::string read_all() const;

  /// The same as read() without the check for change, for many small reads: check_unchanged() is due after the last of
  /// them, and what was read must not be relied on before.
  void read_unchecked(std::uint64_t offset, std::span<char> to) const;
  /// Throws RuntimeError where the file has changed since it was opened.
  void check_unchanged() const;

 private:
  [[noreturn]] void fail_changed() const;

  std::filesystem::path path_;
  FileDescriptor file_;
  FileStamp stamp_;
};

}  // namespace translate
