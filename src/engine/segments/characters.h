#pragma once

#include <unicode/uchar.h>

#include <cstddef>
#include <string_view>

#include "core/utf8.h"

namespace translate {

/// True for letters of all scripts (Unicode's Alphabetic).
[[nodiscard]] inline bool is_letter(char32_t c) { return u_isUAlphabetic(static_cast<UChar32>(c)) != 0; }

/// True for capital letters and those in title case.
[[nodiscard]] inline bool is_capital(char32_t c) {
  return u_isUUppercase(static_cast<UChar32>(c)) != 0 || u_istitle(static_cast<UChar32>(c)) != 0;
}

/// True for decimal digits of all scripts.
[[nodiscard]] inline bool is_decimal_digit(char32_t c) { return u_isdigit(static_cast<UChar32>(c)) != 0; }

/// True for 0 to 9.
[[nodiscard]] inline bool is_ascii_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

/// True for A to Z and a to z.
[[nodiscard]] inline bool is_ascii_letter(char32_t c) { return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z'); }

/// Returns the place behind the character at `place` of a text (valid UTF-8), in bytes.
[[nodiscard]] inline std::size_t next_character(std::string_view text, std::size_t place) {
  do {
    ++place;
  } while (place < text.size() && is_continuation_byte(text[place]));
  return place;
}

}  // namespace translate
