#include "translate/data/gzip_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "translate/core/error.h"

namespace translate {

namespace {

constexpr unsigned kBufferSize = 1U << 18U;

}  // namespace

GzipReader::GzipReader(std::filesystem::path path) : path_(std::move(path)), file_(nullptr), buffer_(kBufferSize) {
  errno = 0;
  file_ = gzopen(path_.c_str(), "rb");
  if (file_ == nullptr) {
    throw DataError(fmt::format("cannot read {}: {}", path_.string(),
                                std::generic_category().message(errno == 0 ? ENOMEM : errno)));
  }
  gzbuffer(file_, kBufferSize);
}

GzipReader::~GzipReader() { gzclose_r(file_); }

std::string_view GzipReader::read() {
  errno = 0;
  const int count = gzread(file_, buffer_.data(), kBufferSize);
  int status = Z_OK;
  gzerror(file_, &status);
  // zlib tells of a stream that ends too early (Z_BUF_ERROR) beside the bytes it still gives, or at the end.
  if (count < 0 || (status != Z_OK && status != Z_STREAM_END)) fail();
  const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(count));
  lines_ += static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  return bytes;
}

void GzipReader::fail() const {
  int status = Z_OK;
  const std::string reason = gzerror(file_, &status);
  if (status == Z_ERRNO) {
    throw DataError(fmt::format("cannot read {}: {}", path_.string(), std::generic_category().message(errno)));
  }
  const std::string kind = status == Z_BUF_ERROR ? "truncated" : "damaged";
  throw DataError(
      fmt::format("{}:{}: {} gzip data ({}); check it with gzip -t", path_.string(), lines_ + 1, kind, reason));
}

}  // namespace translate
