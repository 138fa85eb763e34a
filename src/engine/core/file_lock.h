#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "core/file_descriptor.h"

namespace translate {

/// An exclusive lock on a file, held until it is destroyed or the process ends in any way. The file itself stays; only
/// the lock counts. Keeps a second trainer out of a run folder.
class FileLock {
 public:
  /// Takes the lock without waiting, creates the file if it is missing and writes this process's ID into it. Returns
  /// nothing if another process (or another FileLock of this one) holds it.
  /// Throws RuntimeError if the file cannot be opened or locked at all.
  [[nodiscard]] static std::optional<FileLock> try_lock(const std::filesystem::path& path);

  /// The locked file, which may have been removed or renamed since.
  [[nodiscard]] const FileDescriptor& descriptor() const { return descriptor_; }

 private:
  explicit FileLock(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

  FileDescriptor descriptor_;
};

}  // namespace translate
