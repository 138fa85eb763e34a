#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "core/error.h"
#include "core/file_descriptor.h"

namespace translate {

namespace {

constexpr std::size_t kReadSize = std::size_t{1} << 20;
constexpr std::size_t kLargestFile = std::size_t{1} << 30;    // files read as a whole are small: settings, tokenizers
constexpr std::size_t kLargestStream = std::size_t{1} << 26;  // for a pipe or a device

[[noreturn]] void fail_too_large(const std::filesystem::path& path, std::size_t most) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  throw PathError(
      fmt::format("cannot read {}: it has more than {} MiB, the most that a file of this kind may have; is it "
                  "the right file?",
                  path.string(), most / kMebibyte));
}

constexpr std::string_view kTemporaryMark = ".tmp-";

std::filesystem::path temporary_name_beside(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  return path.string() + fmt::format("{}{}-{}", kTemporaryMark, ::getpid(), count++);
}

/// True for a pipe, a device or a link such as /dev/stdout, which a new file must not replace.
bool is_special(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

}  // namespace

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

std::filesystem::path normalized_path(const std::filesystem::path& path) {
  auto normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

std::string read_file(const std::filesystem::path& path) {
  const FileDescriptor file = open_file(path, O_RDONLY, "open");
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) {
    fail_with_reason("read", path);
  }
  const bool is_regular = S_ISREG(status.st_mode);
  const std::size_t most = is_regular ? kLargestFile : kLargestStream;
  if (is_regular && status.st_size > static_cast<off_t>(most)) {
    fail_too_large(path, most);
  }
  std::string content;
  std::string buffer(kReadSize, '\0');
  while (const std::size_t count = read_some(file, buffer, path)) {
    if (content.size() + count > most) {
      fail_too_large(path, most);
    }
    content.append(buffer, 0, count);
  }
  return content;
}

namespace {

/// Writes a file that errors call by another name.
void write_synced(const std::filesystem::path& path, std::string_view bytes, const std::filesystem::path& name) {
  const FileDescriptor file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC, "write", name);
  write_all(file, bytes, name);
  sync_file(file, name);
}

}  // namespace

void write_file_synced(const std::filesystem::path& path, std::string_view bytes) { write_synced(path, bytes, path); }

namespace {

/// Flushes the entries of a folder, unless this user may not read it: only then can it not be opened.
void sync_if_readable(const std::filesystem::path& folder) {
  if (::access(folder.c_str(), R_OK) == 0 || errno != EACCES) {
    sync_directory(folder);
  }
}

}  // namespace

bool make_folder(const std::filesystem::path& folder) {
  // The parent of an existing folder is flushed as well: a process that made the folder may have been killed just then.
  std::vector<std::filesystem::path> parents = {folder_of(folder)};
  std::error_code error;
  while (!parents.back().empty() && !std::filesystem::exists(parents.back(), error)) {
    parents.push_back(folder_of(parents.back()));
  }
  const bool is_new = std::filesystem::create_directories(folder, error);
  if (error) {
    throw RuntimeError(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  }
  for (const auto& parent : parents) {
    sync_if_readable(parent);
  }
  return is_new;
}

void sync_directory(const std::filesystem::path& folder) {
  const FileDescriptor file = open_file(folder, O_RDONLY | O_DIRECTORY, "open the folder");
  sync_file(file, folder);
}

void move_into_place(const std::filesystem::path& complete, const std::filesystem::path& path) {
  if (::rename(complete.c_str(), path.c_str()) != 0) {
    fail_with_reason("write", path);
  }
  sync_directory(folder_of(path));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  if (is_special(path)) {
    return write_file_synced(path, bytes);
  }
  const std::filesystem::path temporary = temporary_name_beside(path);
  try {
    write_synced(temporary, bytes, path);
    move_into_place(temporary, path);
  } catch (...) {
    std::error_code ignored;  // the first error is the one to report
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

std::vector<std::filesystem::path> temporary_files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const bool is_temporary = it->path().filename().string().find(kTemporaryMark) != std::string::npos;
    if (is_temporary && it->is_regular_file(error)) {
      files.push_back(it->path());
    }
  }
  return files;
}

std::uint32_t crc32(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t crc32_of_file(const std::filesystem::path& path) {
  const FileDescriptor file = open_file(path, O_RDONLY, "open");
  std::string buffer(kReadSize, '\0');
  uLong sum = 0;
  while (const std::size_t count = read_some(file, buffer, path)) {
    sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(buffer.data()), count);
  }
  return static_cast<std::uint32_t>(sum);
}

}  // namespace translate
