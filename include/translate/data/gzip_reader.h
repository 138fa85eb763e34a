#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;  // zlib's

namespace translate {

/// Reads a file in pieces, unpacking it where it is gzip (by its first bytes, whatever its name).
class GzipReader {
 public:
  /// Throws DataError where the file cannot be opened.
  explicit GzipReader(std::filesystem::path path);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// The next bytes, valid until the next call; empty at the end of the file.
  /// Throws DataError where the file cannot be read, or is damaged or truncated gzip, with the position.
  [[nodiscard]] std::string_view read();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  gzFile_s* file_;
  std::vector<char> buffer_;
  std::size_t lines_ = 0;  // newlines read so far, to say where damage is
};

}  // namespace translate
