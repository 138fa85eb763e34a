#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "translate/data/gzip_reader.h"

namespace translate {

/// Whether lines that are no text are an error.
enum class LineCheck { kUtf8, kNone };

/// The lines of a text file one after the other, plain or gzip (told apart by the content, not by the name). A byte
/// order mark, CRLF line ends and a missing newline at the end are read as if they were not there; only newlines end
/// lines. Of the file one buffer is held at a time.
class LineReader {
 public:
  /// Throws DataError where the file cannot be opened.
  explicit LineReader(const std::filesystem::path& path, LineCheck check = LineCheck::kUtf8);

  /// Reads the next line; false at the end of the file.
  /// Throws DataError with file and line: invalid UTF-8, NUL bytes (unless LineCheck::kNone), damaged or truncated
  /// gzip.
  [[nodiscard]] bool next(std::string& line);

  /// Lines read so far.
  [[nodiscard]] std::size_t lines() const { return lines_; }

 private:
  [[nodiscard]] bool read_raw(std::string& line);

  std::filesystem::path path_;
  GzipReader reader_;
  LineCheck check_;
  std::string_view rest_;  // of the reader's buffer
  std::size_t lines_ = 0;
};

}  // namespace translate
