#include "pairs/encoding_signs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/utf8.h"

namespace translate {

namespace {

/// The characters of Windows-1252 at the bytes 0x80 to 0x9F; 0 for undefined ones.
constexpr std::array<char32_t, 32> kWindows1252 = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                                   0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

/// The byte of a character in Windows-1252, else in Latin-1; 0 if it has neither, or is ASCII.
unsigned byte_of(char32_t character) {
  if (character >= 0x80 && character <= 0xFF) {
    return static_cast<unsigned>(character);
  }
  const auto* const place = std::ranges::find(kWindows1252, character);
  return character > 0 && place != kWindows1252.end() ? 0x80U + static_cast<unsigned>(place - kWindows1252.begin()) : 0;
}

/// The number of characters from `begin` on whose bytes together form one character in UTF-8; 0 if they do not.
std::size_t misread_length(std::u32string_view text, std::size_t begin) {
  const auto lead = text[begin] <= 0xFF ? byte_of(text[begin]) : 0;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || begin + length > text.size()) {
    return 0;
  }
  const auto continues = [](char32_t character) {
    const auto byte = byte_of(character);
    return byte >= 0x80 && byte <= 0xBF;
  };
  return std::ranges::all_of(text.substr(begin + 1, length - 1), continues) ? length : 0;
}

}  // namespace

bool has_control_characters(std::string_view text) {
  const auto is_control = [](char32_t character) {
    return (character < 0x20 && character != U'\t') || (character >= 0x7F && character <= 0x9F) ||
           (character >= 0xFFFD && character <= 0xFFFF);
  };
  return std::ranges::any_of(decode_utf8(text), is_control);
}

bool looks_read_as_latin(std::string_view text) {
  if (is_ascii(text)) {
    return false;
  }
  const auto characters = decode_utf8(text);
  std::size_t after_last = 0;  // end of the last sequence of any kind
  for (std::size_t i = 0; i < characters.size();) {
    const auto length = misread_length(characters, i);
    if (length == 0) {
      ++i;
      continue;
    }
    const auto lead = characters[i];
    const bool enough = lead == U'\u00C2' || lead == U'\u00C3' || lead == U'\u00E2' || length == 4;
    if (enough || (after_last == i && i > 0)) {
      return true;
    }
    i += length;
    after_last = i;
  }
  return false;
}

std::optional<std::string> read_as_utf8(std::string_view text) {
  const auto characters = decode_utf8(text);
  std::string mended;
  for (std::size_t i = 0; i < characters.size();) {
    const auto length = misread_length(characters, i);
    if (length == 0) {
      mended += encode_utf8({&characters[i++], 1});
      continue;
    }
    std::string bytes;
    for (const auto end = i + length; i < end; ++i) {
      bytes += static_cast<char>(byte_of(characters[i]));
    }
    mended += bytes;
  }
  if (first_invalid_utf8(mended) || has_control_characters(mended) || looks_read_as_latin(mended)) {
    return std::nullopt;
  }
  return mended;
}

}  // namespace translate
