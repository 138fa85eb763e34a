#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/file_descriptor.h"

namespace translate {

/// Size and CRC-32 of a file's bytes.
struct FileDigest {
  std::uint64_t size = 0;
  std::uint32_t crc32 = 0;

  bool operator==(const FileDigest&) const = default;
};

/// A new file that is written in chunks, digested on the way and flushed to disk by finish(). Every failure (disk full,
/// no permission, ...) is a RuntimeError with the path and the system's reason, or BrokenPipe if nobody reads a pipe
/// any more.
class OutputFile {
 public:
  /// Creates the file, or truncates an existing one.
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

/// Appends lines to a text file (metrics.jsonl, log.txt), each with one write, so that a killed process leaves whole
/// lines, except perhaps the last.
class LineAppender {
 public:
  /// Opens `path`, creating it if it is missing; a last line without its newline, left by a killed process or a loss of
  /// power, is cut off.
  /// Throws RuntimeError.
  explicit LineAppender(const std::filesystem::path& path);

  /// Appends `line`, which holds no newline, and a newline. Throws RuntimeError (a full disk).
  void append(std::string_view line);

  /// Flushes the lines to the disk. Throws RuntimeError.
  void flush();

 private:
  std::filesystem::path path_;
  FileDescriptor descriptor_;
};

}  // namespace translate
