#include "translate/metrics/words.h"

#include <cstddef>
#include <string>

#include "translate/core/utf8.h"

namespace translate {
namespace {

/// The bytes of the white-space character that starts at `position`; 0 where none does (inside a character, too).
std::size_t space_bytes_at(std::string_view text, std::size_t position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  if (lead < 0x80) return is_unicode_space(lead) ? 1 : 0;
  const std::size_t bytes = lead < 0xE0 ? 2 : 3;  // no white space takes four
  const std::u32string code_points = decode_utf8(text.substr(position, bytes));
  return code_points.size() == 1 && is_unicode_space(code_points.front()) ? bytes : 0;
}

}  // namespace

std::vector<std::string_view> split_at_spaces(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t word_begin = 0;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t space_bytes = space_bytes_at(text, position);
    if (space_bytes == 0) {
      ++position;
      continue;
    }
    if (position > word_begin) words.push_back(text.substr(word_begin, position - word_begin));
    position += space_bytes;
    word_begin = position;
  }
  if (word_begin < text.size()) words.push_back(text.substr(word_begin));
  return words;
}

std::string_view trim_trailing_spaces(std::string_view text) {
  std::size_t end = 0;  // behind the last byte that is not white space
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t space_bytes = space_bytes_at(text, position);
    position += space_bytes == 0 ? 1 : space_bytes;
    if (space_bytes == 0) end = position;
  }
  return text.substr(0, end);
}

}  // namespace translate
