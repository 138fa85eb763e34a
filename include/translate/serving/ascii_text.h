#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace translate {

/// The text with A to Z in lower case, for what HTTP compares without regard to case: names of headers, hosts, media
/// types. Other bytes stay as they are, whatever the locale.
[[nodiscard]] inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace translate
