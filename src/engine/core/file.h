#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/process.h"

namespace translate {

/// True if a reason of the system (errno) lies in the path that was given: nothing is there, it is a folder, access is
/// denied. False for a lack of open files or memory, a broken disk and the like.
[[nodiscard]] bool is_fault_of_path(int error);

/// Throws for text that cannot be read because of `error` (errno): DataError if is_fault_of_path, else RuntimeError.
[[noreturn]] void throw_read_error(const std::string& message, int error);

/// A RuntimeError that lies in the path that was given, or in a file that is too large to be the right one: a caller
/// that has the path from the user catches it and blames the user.
class PathError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Reads a whole file: at most 1 GiB of a regular file, and 64 MiB of a pipe or a device, which may never end. Throws
/// RuntimeError with the path and the system's reason, PathError if that lies in the path or if the file is larger.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Writes `bytes` into `path` (created or truncated first) and flushes them to the disk. Throws RuntimeError; the bytes
/// written so far then remain.
void write_file_synced(const std::filesystem::path& path, std::string_view bytes);

/// Creates a folder and its parents if they are missing, and flushes their names to the disk. Returns true if it did
/// not exist before. Throws RuntimeError with the path and the system's reason.
bool make_folder(const std::filesystem::path& folder);

/// The folder in which a path lies: "." for a name alone.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path);

/// The path in its lexically normal form, also without a slash at its end, so that its last part is a name. Symbolic
/// links are not followed.
[[nodiscard]] std::filesystem::path normalized_path(const std::filesystem::path& path);

/// Flushes a folder's entries (new, renamed, removed names) to the disk. Throws RuntimeError.
void sync_directory(const std::filesystem::path& folder);

/// Gives a complete file, which is flushed and on the same file system, its final name, and flushes the folder. A file
/// of that name is replaced. Throws RuntimeError with the final name and the system's reason.
void move_into_place(const std::filesystem::path& complete, const std::filesystem::path& path);

/// Replaces `path` by `bytes` so that at any moment, a crash included, either the old or the new content is there: a
/// temporary file beside it is written, flushed and renamed, then the folder is flushed. A pipe, a device or a link is
/// written to directly.
/// Throws RuntimeError; the temporary file is then removed and the old content stays.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Returns the temporary files that write_file_atomically is making in a folder, or that killed processes have left
/// there; none if the folder cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> temporary_files_in(const std::filesystem::path& folder);

/// CRC-32 as in zlib, gzip and PNG.
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

/// The user's cache folder: $XDG_CACHE_HOME/translate or ~/.cache/translate (XDG Base Directory Specification 0.8). It
/// need not exist. Empty if neither variable names an absolute path.
[[nodiscard]] std::filesystem::path user_cache_folder();

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
