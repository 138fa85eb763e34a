#include "translate/data/line_reader.h"

#include <fmt/format.h>

#include "translate/core/error.h"
#include "translate/core/utf8.h"

namespace translate {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

void check_line(const std::string& line, const std::filesystem::path& path, std::size_t number) {
  if (number == 1 && (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))) {
    throw DataError(fmt::format("{}:1: the file is UTF-16; convert it: iconv -f utf-16 -t utf-8", path.string()));
  }
  if (const std::size_t position = line.find('\0'); position != std::string::npos) {
    throw DataError(fmt::format("{}:{}: NUL byte at byte {} of the line: expected a text file in UTF-8", path.string(),
                                number, position + 1));
  }
  if (const auto position = first_invalid_utf8(line)) {
    throw DataError(
        fmt::format("{}:{}: invalid UTF-8 at byte {} of the line (0x{:02X}): expected a text file in UTF-8; convert "
                    "it, e.g. iconv -f latin1 -t utf-8",
                    path.string(), number, *position + 1, static_cast<unsigned char>(line[*position])));
  }
}

}  // namespace

LineReader::LineReader(const std::filesystem::path& path, LineCheck check)
    : path_(path), reader_(path), check_(check) {}

bool LineReader::next(std::string& line) {
  const bool ended = !read_raw(line);
  // A file that holds a byte order mark alone has no line.
  if (ended && (line.empty() || (lines_ == 0 && line == kByteOrderMark))) return false;
  if (line.ends_with('\r')) line.pop_back();
  if (lines_ == 0 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  ++lines_;
  if (check_ == LineCheck::kUtf8) check_line(line, path_, lines_);
  return true;
}

bool LineReader::read_raw(std::string& line) {
  line.clear();
  while (true) {
    const std::size_t newline = rest_.find('\n');
    line.append(rest_.substr(0, newline));
    if (newline != std::string_view::npos) {
      rest_.remove_prefix(newline + 1);
      return true;
    }
    rest_ = reader_.read();
    if (rest_.empty()) return false;
  }
}

}  // namespace translate
