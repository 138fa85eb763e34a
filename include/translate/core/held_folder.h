#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "translate/core/file.h"

namespace translate {

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
