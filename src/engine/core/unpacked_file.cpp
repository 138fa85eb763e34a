#include "core/unpacked_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <vector>

#include "core/file.h"
#include "core/file_descriptor.h"

namespace translate {

namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{1} << 16U;
constexpr int kGzip = 16 + MAX_WBITS;  // windowBits of zlib: gzip members alone

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

}  // namespace

std::string longest_line_text() {
  return fmt::format("the line has more than {} bytes: expected a text file of lines that end with a newline",
                     kLongestLine);
}

UnpackedFile::UnpackedFile(int descriptor) : descriptor_(descriptor) {}

UnpackedFile::~UnpackedFile() {
  if (stream_) {
    inflateEnd(stream_.get());
  }
}

std::size_t UnpackedFile::read_file(std::span<char> to) {
  while (true) {
    const auto count = ::read(descriptor_, to.data(), to.size());
    if (count >= 0) {
      taken_ += static_cast<std::uint64_t>(count);
      return static_cast<std::size_t>(count);
    }
    if (errno != EINTR) {
      fail();
    }
  }
}

/// Reads the first bytes; a second one is waited for only where the first one may begin gzip data.
void UnpackedFile::begin() {
  begun_ = true;
  buffer_.resize(kBytesAtOnce);
  std::size_t size = read_file(buffer_);
  while (size == 1 && buffer_.front() == kGzipBegin.front()) {
    const auto more = read_file(std::span(buffer_).subspan(size));
    size += more;
    if (more == 0) {
      break;
    }
  }
  unread_ = std::string_view(buffer_).substr(0, size);
  if (unread_.starts_with(kGzipBegin)) {
    stream_ = std::make_unique<z_stream>();
    if (inflateInit2(stream_.get(), kGzip) != Z_OK) {
      stream_.reset();
      throw std::bad_alloc();
    }
    inside_member_ = true;
  }
}

bool UnpackedFile::is_packed() {
  if (!begun_) {
    begin();
  }
  return stream_ != nullptr;
}

std::size_t UnpackedFile::read(std::span<char> to) {
  if (to.empty()) {
    return 0;
  }
  if (is_packed()) {
    return unpack(to);
  }
  if (unread_.empty()) {
    return read_file(to);
  }
  const auto count = unread_.copy(to.data(), to.size());
  unread_.remove_prefix(count);
  return count;
}

std::size_t UnpackedFile::unpack(std::span<char> to) {
  while (true) {
    const bool has_ended = unread_.empty() && [&] {
      unread_ = std::string_view(buffer_).substr(0, read_file(buffer_));
      return unread_.empty();
    }();
    if (has_ended && inside_member_) {
      throw GzipFault("truncated gzip data (unexpected end of file)");
    }
    if (has_ended || (!inside_member_ && !begin_member())) {
      return 0;
    }
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(unread_.data()));  // zlib's: it only reads them
    stream_->avail_in = static_cast<uInt>(unread_.size());
    stream_->next_out = reinterpret_cast<Bytef*>(to.data());
    stream_->avail_out = static_cast<uInt>(std::min(to.size(), kBytesAtOnce));
    const auto room = stream_->avail_out;
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    }
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      throw GzipFault(fmt::format("damaged gzip data ({})", stream_->msg != nullptr ? stream_->msg : "no valid data"));
    }
    unread_.remove_prefix(unread_.size() - stream_->avail_in);
    inside_member_ = status != Z_STREAM_END;
    if (const auto count = room - stream_->avail_out; count > 0) {
      return count;
    }
  }
}

/// Begins the next member, if there is one: with bytes to read after the end of the last. Only zero bytes may follow it
/// otherwise.
bool UnpackedFile::begin_member() {
  while (!unread_.empty() && unread_.front() == '\0') {
    unread_.remove_prefix(1);
    if (unread_.empty()) {
      unread_ = std::string_view(buffer_).substr(0, read_file(buffer_));
    }
  }
  if (unread_.empty()) {
    return false;
  }
  if (unread_.front() != kGzipBegin.front()) {
    throw GzipFault("damaged gzip data (other data follows it)");
  }
  inside_member_ = true;
  return inflateReset(stream_.get()) == Z_OK;
}

void UnpackedFile::skip(std::uint64_t bytes) {
  if (!is_packed() && ::lseek(descriptor_, static_cast<off_t>(bytes + taken_ - unread_.size()), SEEK_SET) >= 0) {
    taken_ += bytes - unread_.size();
    unread_ = {};
    return;
  }
  std::vector<char> skipped(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kBytesAtOnce)));
  while (bytes > 0) {
    const auto wanted = std::min<std::uint64_t>(bytes, skipped.size());
    const auto count = read(std::span(skipped).first(static_cast<std::size_t>(wanted)));
    if (count == 0) {
      return;
    }
    bytes -= count;
  }
}

std::uint64_t unpacked_size(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
    fail();
  }
  UnpackedFile unpacked(file.number());
  if (!unpacked.is_packed()) {
    return static_cast<std::uint64_t>(status.st_size);
  }
  std::vector<char> bytes(kBytesAtOnce);
  std::uint64_t size = 0;
  for (auto count = unpacked.read(bytes); count > 0; count = unpacked.read(bytes)) {
    size += count;
  }
  return size;
}

}  // namespace translate
