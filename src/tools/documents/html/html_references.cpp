#include "documents/html/html_references.h"

#include <algorithm>

#include "documents/html/html_texts.h"

namespace translate::tools {

std::size_t reference_length(std::string_view text) {
  constexpr std::size_t kLongest = 40;  // longer than the longest name
  if (!text.starts_with('&')) {
    return 0;
  }
  std::size_t length = text.substr(1).starts_with('#') ? 2 : 1;
  const auto first = length;
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  while (length < std::min(text.size(), kLongest) && is_part(text[length])) {
    ++length;
  }
  if (length == first) {
    return 0;
  }
  return length < text.size() && text[length] == ';' ? length + 1 : length;
}

DecodedString decode_references(std::string_view file, std::size_t begin, std::size_t end) {
  DecodedString decoded(file, begin);
  const auto text = file.substr(0, end);
  for (auto at = begin; at < end;) {
    if (const auto length = reference_length(text.substr(at)); length > 0) {
      decoded.add(decode_html(text.substr(at, length)), at + length);
      at += length;
    } else {
      const auto next = std::min(text.find('&', at + 1), end);
      decoded.add(text.substr(at, next - at), next);
      at = next;
    }
  }
  return decoded;
}

}  // namespace translate::tools
