#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace translate {

/// The whole file: at most 1 GiB of a regular one, and 64 MiB of anything else (a pipe, a device, which may never end).
/// Throws RuntimeError with the path and the system's reason, or where there is more.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Writes `bytes` into `path` (made or emptied first) and flushes them to the disk.
/// Throws RuntimeError; what was written so far is then still there.
void write_file_synced(const std::filesystem::path& path, std::string_view bytes);

/// Makes a folder and those above it, where they are missing. True where it was not there before. Throws RuntimeError
/// with the path and the system's reason.
bool make_folder(const std::filesystem::path& folder);

/// Flushes a folder's entries (new, renamed, removed names) to the disk. Throws RuntimeError.
void sync_directory(const std::filesystem::path& folder);

/// Replaces `path` by `bytes` so that at any moment, a crash included, either the old or the new content is there:
/// a temporary file beside it is written, flushed and renamed, then the folder is flushed. What is no regular file (a
/// pipe, a device, a link) is written to as it is.
/// Throws RuntimeError; the temporary file is then removed and the old content stays.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// CRC-32 (the one of zlib, gzip and PNG).
[[nodiscard]] std::uint32_t crc32(std::string_view bytes);

/// CRC-32 of a file's content, read in chunks. Throws RuntimeError.
[[nodiscard]] std::uint32_t crc32_of_file(const std::filesystem::path& path);

/// An open file descriptor that closes itself.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

/// An exclusive lock on a file, held until it is destroyed or the process ends, however it ends: the file itself stays,
/// only the lock counts. Keeps a second trainer out of a run folder.
class FileLock {
 public:
  /// Takes the lock without waiting, making the file where it is missing and writing this process's number into it.
  /// Returns nothing where another process (or another FileLock of this one) holds it.
  /// Throws RuntimeError where the file cannot be opened or locked at all.
  [[nodiscard]] static std::optional<FileLock> try_lock(const std::filesystem::path& path);

  /// The locked file, which may have been removed or renamed since.
  [[nodiscard]] const FileDescriptor& descriptor() const { return descriptor_; }

 private:
  explicit FileLock(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

  FileDescriptor descriptor_;
};

/// Appends lines to a text file (metrics.jsonl), each with one write, so that a killed process leaves whole lines but
/// perhaps for the last one.
class LineAppender {
 public:
  /// Opens `path`, making it where it is missing; a last line without its newline, left by a kill, is cut off.
  /// Throws RuntimeError.
  explicit LineAppender(const std::filesystem::path& path);

  /// Appends `line`, which holds no newline, and a newline. Throws RuntimeError (a full disk).
  void append(std::string_view line);

 private:
  std::filesystem::path path_;
  FileDescriptor descriptor_;
};

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

/// Where this user's programs keep what they can find out again: $XDG_CACHE_HOME/translate or ~/.cache/translate (XDG
/// Base Directory Specification 0.8). It need not exist. Empty where neither variable names an absolute path.
[[nodiscard]] std::filesystem::path user_cache_folder();

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
