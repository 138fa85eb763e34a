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

/// A folder that this process works in alone, by a lock on a file in it. The lock goes with the file: a folder that is
/// removed or renamed is no longer protected at its path, where another process may have made a new one. This class
/// notices it.
class HeldFolder {
 public:
  /// What has become of the folder.
  enum class State {
    kInPlace,
    kMoved,      ///< renamed, the locked file with it: it is still held, at current_path()
    kLockGone,   ///< the folder is in place, but its lock file was removed or replaced: others may work in it
    kFolderGone  ///< removed, perhaps replaced by another folder
  };

  /// Takes the lock without waiting, making the lock file where it is missing. `folder` must exist. Nothing where
  /// another process holds it. Throws RuntimeError where it cannot be opened or locked.
  [[nodiscard]] static std::optional<HeldFolder> try_hold(const std::filesystem::path& folder,
                                                          const std::filesystem::path& lock_name);

  /// Looks, with a few system calls. Where it cannot be known (a file system that does not answer), kInPlace.
  [[nodiscard]] State state() const;

  /// Where the folder is now, also after it was renamed; nothing where it was removed, or cannot be found.
  [[nodiscard]] std::optional<std::filesystem::path> current_path() const;

  /// From now on the folder is expected here.
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
