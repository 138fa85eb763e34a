#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/file.h"

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

/// A folder that this process holds exclusively, by a lock on a file in it. The lock follows the file: a folder that is
/// removed or renamed is no longer protected at its path, where another process may have created a new one. This class
/// detects that.
class HeldFolder {
 public:
  /// The state of the folder.
  enum class State {
    kInPlace,
    kMoved,      ///< renamed together with the locked file: still held, at current_path()
    kLockGone,   ///< the folder is in place, but its lock file was removed or replaced: others may work in it
    kFolderGone  ///< removed, perhaps replaced by another folder
  };

  /// Takes the lock without waiting, creating the lock file if it is missing. `folder` must exist. Returns nothing if
  /// another process holds it. Throws RuntimeError if it cannot be opened or locked.
  [[nodiscard]] static std::optional<HeldFolder> try_hold(const std::filesystem::path& folder,
                                                          const std::filesystem::path& lock_name);

  /// Checks the state with a few system calls; kInPlace if it cannot be determined (a file system that does not
  /// answer).
  [[nodiscard]] State state() const;

  /// The folder's current path, also after it was renamed; nothing if it was removed or cannot be found.
  [[nodiscard]] std::optional<std::filesystem::path> current_path() const;

  /// Sets the path at which the folder is expected from now on.
  void expect_at(const std::filesystem::path& folder) { folder_ = folder; }

 private:
  HeldFolder(std::filesystem::path folder, std::filesystem::path lock_name, FileDescriptor opened, FileLock lock)
      : folder_(std::move(folder)),
        lock_name_(std::move(lock_name)),
        opened_(std::move(opened)),
        lock_(std::move(lock)) {}

  std::filesystem::path folder_;
  std::filesystem::path lock_name_;
  FileDescriptor opened_;  ///< of the folder
  FileLock lock_;
};

}  // namespace translate
