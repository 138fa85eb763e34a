#pragma once

#include <algorithm>
#include <string_view>

namespace translate {

/// Whether a text can be the code of a language, such as "pt-BR": letters, digits, '-' and '_', at most 40 of them. It
/// becomes a part of tags (`>>pt-BR<<`), file names and cards.
[[nodiscard]] inline bool is_language_code(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, is_part);
}

}  // namespace translate
