#include "core/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include <string>
#include <system_error>

namespace translate {

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
  sync_file(descriptor_, path_);
  return digest_;
}

FileDigest write_digested_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  return file.finish();
}

namespace {

bool is_regular(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) {
    fail_with_reason("read", path);
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
    fail_with_reason("write", path);  // writes wait for the reader
  }
  return pipe;
}

}  // namespace

LineAppender::LineAppender(const std::filesystem::path& path) : path_(path), descriptor_(open_to_append(path)) {
  if (!is_regular(descriptor_, path_)) {
    return;  // a device may have no end
  }
  constexpr std::size_t kReadSize = std::size_t{1} << 20;
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

void LineAppender::flush() { sync_file(descriptor_, path_); }

}  // namespace translate
