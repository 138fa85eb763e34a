#pragma once

#include <filesystem>
#include <optional>

#include "core/stop_signal.h"

namespace translate {

/// A new temporary folder (in TMPDIR, else /tmp), which is removed with the object, or if a stop signal ends the
/// process (see RemovedAtStop).
class TemporaryFolder {
 public:
  /// Throws RuntimeError if it cannot be created.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<RemovedAtStop> removed_at_stop_;
};

}  // namespace translate
