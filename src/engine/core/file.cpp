#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/error.h"

namespace translate {

namespace {

constexpr std::size_t kReadSize = std::size_t{1} << 20;
constexpr std::size_t kLargestFile = std::size_t{1} << 30;    // files read as a whole are small: settings, tokenizers
constexpr std::size_t kLargestStream = std::size_t{1} << 26;  // for a pipe or a device

[[noreturn]] void fail(std::string_view what, const std::filesystem::path& path, int error = errno) {
  const auto message = fmt::format("cannot {} {}: {}", what, path.string(), std::generic_category().message(error));
  if (is_fault_of_path(error)) {
    throw PathError(message);
  }
  throw RuntimeError(message);
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path) {
  if (errno == EPIPE) {
    throw BrokenPipe(path.string());
  }
  fail("write", path);
}

[[noreturn]] void fail_too_large(const std::filesystem::path& path, std::size_t most) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  throw PathError(
      fmt::format("cannot read {}: it has more than {} MiB, the most that a file of this kind may have; is it "
                  "the right file?",
                  path.string(), most / kMebibyte));
}

/// Makes a call of the system again if a signal has interrupted it.
template <class Call>
auto repeat_interrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) {
    result = call();
  }
  return result;
}

/// Opens a file that errors call `name`.
FileDescriptor open_file(const std::filesystem::path& path, int flags, std::string_view what,
                         const std::filesystem::path& name) {
  constexpr mode_t kMode = 0666;  // reduced by the process's umask
  const int number = repeat_interrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kMode); });
  if (number < 0) {
    fail(what, name);
  }
  return FileDescriptor(number);
}

FileDescriptor open_file(const std::filesystem::path& path, int flags, std::string_view what) {
  return open_file(path, flags, what, path);
}

/// Reads at most buffer.size() bytes; returns 0 at the end.
std::size_t read_some(const FileDescriptor& file, std::string& buffer, const std::filesystem::path& path) {
  const ssize_t count = repeat_interrupted([&] { return ::read(file.number(), buffer.data(), buffer.size()); });
  if (count < 0) {
    fail("read", path);
  }
  return static_cast<std::size_t>(count);
}

void sync(const FileDescriptor& file, const std::filesystem::path& path) {
  // Pipes and some devices cannot be flushed (EINVAL), and need not be.
  if (repeat_interrupted([&] { return ::fsync(file.number()); }) != 0 && errno != EINVAL) {
    fail("flush to disk", path);
  }
}

void cut_off(const FileDescriptor& file, off_t size, const std::filesystem::path& path) {
  if (repeat_interrupted([&] { return ::ftruncate(file.number(), size); }) != 0) {
    fail("write", path);
  }
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

/// Writes at most bytes.size() bytes; returns how many.
std::size_t write_some(const FileDescriptor& file, std::string_view bytes, const std::filesystem::path& path) {
  const ssize_t count = repeat_interrupted([&] { return ::write(file.number(), bytes.data(), bytes.size()); });
  if (count < 0) {
    fail_to_write(path);
  }
  return static_cast<std::size_t>(count);
}

void write_all(const FileDescriptor& file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    bytes.remove_prefix(write_some(file, bytes, path));
  }
}

}  // namespace

bool is_fault_of_path(int error) {
  constexpr std::array kFaults = {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG, ENXIO, ENODEV};
  return std::ranges::find(kFaults, error) != kFaults.end();
}

void throw_read_error(const std::string& message, int error) {
  if (is_fault_of_path(error)) {
    throw DataError(message);
  }
  throw RuntimeError(message);
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

std::filesystem::path normalized_path(const std::filesystem::path& path) {
  auto normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) {
    ::close(number_);
  }
}

std::string read_file(const std::filesystem::path& path) {
  const FileDescriptor file = open_file(path, O_RDONLY, "open");
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) {
    fail("read", path);
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
  sync(file, name);
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
  sync(file, folder);
}

void move_into_place(const std::filesystem::path& complete, const std::filesystem::path& path) {
  if (::rename(complete.c_str(), path.c_str()) != 0) {
    fail("write", path);
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

std::optional<FileLock> FileLock::try_lock(const std::filesystem::path& path) {
  FileDescriptor file = open_file(path, O_RDWR | O_CREAT, "open the lock file");
  if (repeat_interrupted([&] { return ::flock(file.number(), LOCK_EX | LOCK_NB); }) != 0) {
    if (errno == EWOULDBLOCK) {
      return std::nullopt;
    }
    fail("lock", path);
  }
  cut_off(file, 0, path);
  write_all(file, fmt::format("{}\n", ::getpid()), path);
  return FileLock(std::move(file));
}

namespace {

bool is_regular(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) {
    fail("read", path);
  }
  return S_ISREG(status.st_mode);
}

/// Opens a file to append to. A pipe that nobody reads is an error: opening or filling it could block for ever.
FileDescriptor open_to_append(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::is_fifo(status)) {
    return open_file(path, O_RDWR | O_CREAT | O_APPEND, "write");
  }
  FileDescriptor pipe = open_file(path, O_WRONLY | O_APPEND | O_NONBLOCK, "write");
  if (::fcntl(pipe.number(), F_SETFL, O_APPEND) != 0) {
    fail("write", path);  // writes wait for the reader
  }
  return pipe;
}

}  // namespace

LineAppender::LineAppender(const std::filesystem::path& path) : path_(path), descriptor_(open_to_append(path)) {
  if (!is_regular(descriptor_, path_)) {
    return;  // a device may have no end
  }
  std::string buffer(kReadSize, '\0');
  off_t size = 0;
  off_t whole_lines = 0;  // bytes up to and including the last newline
  while (const std::size_t count = read_some(descriptor_, buffer, path_)) {
    const std::size_t newline = std::string_view(buffer.data(), count).rfind('\n');
    if (newline != std::string_view::npos) {
      whole_lines = size + static_cast<off_t>(newline) + 1;
    }
    size += static_cast<off_t>(count);
  }
  if (whole_lines != size) {
    cut_off(descriptor_, whole_lines, path_);
  }
}

void LineAppender::append(std::string_view line) {
  std::string bytes(line);
  bytes += '\n';
  write_all(descriptor_, bytes, path_);
}

void LineAppender::flush() { sync(descriptor_, path_); }

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path), descriptor_(open_file(path, O_WRONLY | O_CREAT | O_TRUNC, "write")) {}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    // Block by block, so that the checksum reads bytes that the copy to the kernel has just brought into the cache.
    constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
    const std::string_view block = bytes.substr(0, kBlockBytes);
    const auto written = write_some(descriptor_, block, path_);
    digest_.crc32 =
        static_cast<std::uint32_t>(::crc32_z(digest_.crc32, reinterpret_cast<const Bytef*>(block.data()), written));
    digest_.size += written;
    bytes.remove_prefix(written);
  }
}

FileDigest OutputFile::finish() {
  sync(descriptor_, path_);
  return digest_;
}

FileDigest write_digested_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  return file.finish();
}

std::filesystem::path user_cache_folder() {
  const auto absolute = [](const char* variable) {
    const std::filesystem::path path = environment_variable(variable).value_or("");
    return path.is_absolute() ? path : std::filesystem::path();
  };
  if (const auto cache = absolute("XDG_CACHE_HOME"); !cache.empty()) {
    return cache / "translate";
  }
  const auto home = absolute("HOME");
  return home.empty() ? home : home / ".cache" / "translate";
}

TemporaryFolder::TemporaryFolder() {
  const auto variable = environment_variable("TMPDIR");
  const std::filesystem::path place = variable.value_or("/tmp");
  std::string pattern = (place / "translate-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw RuntimeError(
        fmt::format("cannot make a temporary folder in {}{}: {}; set TMPDIR to a folder that can be written",
                    place.string(), variable ? " (TMPDIR)" : "", std::generic_category().message(errno)));
  }
  path_ = pattern;
  removed_at_stop_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace translate
