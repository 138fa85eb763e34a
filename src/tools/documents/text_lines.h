#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace translate::tools {

/// Returns the end of the line of `text` that contains the byte `at`, without its line end ("\n" or "\r\n").
[[nodiscard]] inline std::size_t line_end(std::string_view text, std::size_t at) {
  const auto end = std::min(text.find('\n', at), text.size());
  return end > at && text[end - 1] == '\r' ? end - 1 : end;
}

/// Returns the beginning of the next line; the end of the text after the last one.
[[nodiscard]] inline std::size_t next_line(std::string_view text, std::size_t at) {
  const auto end = text.find('\n', at);
  return end == std::string_view::npos ? text.size() : end + 1;
}

}  // namespace translate::tools
