#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

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

}  // namespace translate
