#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace translate::benchmark {

/// A line of HTML: its words in lower case, punctuation apart, and for each tag such as `<b>` or `<a href="#1">` that
/// occurs once the words between it and its end.
struct TaggedLine {
  std::vector<std::string> words;
  std::map<std::string, std::vector<std::int32_t>> spans;  ///< positions by tag
};

/// Reads a line. Tags that occur several times have no span, because it is not known which is the translation of which.
[[nodiscard]] TaggedLine parse_tagged_line(std::string_view line);

}  // namespace translate::benchmark
