#pragma once

#include <filesystem>

namespace translate {

/// A new folder among the system's temporary files (in TMPDIR, else /tmp), which goes away with the object.
class TemporaryFolder {
 public:
  /// Throws RuntimeError where it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace translate
