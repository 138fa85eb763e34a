#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "core/file_descriptor.h"
#include "core/file_lock.h"

namespace translate {

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

  /// The folder's current path, also after it was renamed; nothing if it was removed or cannot be found. Where the
  /// system does not tell the path of an open folder, a renamed one cannot.
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
