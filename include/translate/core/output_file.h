#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "translate/core/file.h"

namespace translate {

/// Size and CRC-32 of a file's bytes.
struct FileDigest {
  std::uint64_t size = 0;
  std::uint32_t crc32 = 0;

  bool operator==(const FileDigest&) const = default;
};

/// A new file written piece by piece, digested on the way, and flushed to disk before it counts as written.
/// Every failure (disk full, no permission, ...) is a RuntimeError with the path and the system's reason.
class OutputFile {
 public:
  /// Creates the file, or empties the one that is there.
  explicit OutputFile(const std::filesystem::path& path);

  void write(std::string_view bytes);

  /// Flushes to disk and returns the digest of everything written.
  FileDigest finish();

 private:
  std::filesystem::path path_;
  FileDescriptor descriptor_;
  FileDigest digest_;
};

/// Writes a whole file with an OutputFile.
FileDigest write_digested_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace translate
