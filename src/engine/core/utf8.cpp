#include "core/utf8.h"

#include <unicode/utf8.h>

namespace translate {

namespace {

constexpr UChar32 kReplacement = 0xFFFD;

/// One character, or the maximal ill-formed part that one U+FFFD replaces.
struct Character {
  char32_t code_point = 0;
  std::size_t bytes = 0;
  bool well_formed = false;
};

/// Returns the character that starts at `position`, which must be inside the text. ICU's macros need no library.
Character character_at(std::string_view text, std::size_t position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  if (lead < 0x80) {
    return {.code_point = lead, .bytes = 1, .well_formed = true};
  }
  std::size_t end = position;
  UChar32 code_point = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"          // inside the macro
  U8_NEXT(text.data(), end, text.size(), code_point);  // negative if the bytes are ill-formed
#pragma GCC diagnostic pop
  return {.code_point = static_cast<char32_t>(code_point < 0 ? kReplacement : code_point),
          .bytes = end - position,
          .well_formed = code_point >= 0};
}

void append_utf8(char32_t code_point, std::string& text) {
  const bool valid = code_point <= 0x10FFFF && !U_IS_SURROGATE(code_point);
  char bytes[U8_MAX_LENGTH];
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, valid ? code_point : static_cast<char32_t>(kReplacement));
  text.append(bytes, size);
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const Character character = character_at(text, position);
    if (!character.well_formed) {
      return position;
    }
    position += character.bytes;
  }
  return std::nullopt;
}

std::string replace_invalid_utf8(std::string_view text) {
  if (!first_invalid_utf8(text)) {
    return std::string(text);
  }
  return encode_utf8(decode_utf8(text));
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string code_points;
  code_points.reserve(text.size());
  for (std::size_t position = 0; position < text.size();) {
    const Character character = character_at(text, position);
    code_points += character.code_point;
    position += character.bytes;
  }
  return code_points;
}

std::string encode_utf8(std::u32string_view code_points) {
  std::string text;
  text.reserve(code_points.size());
  for (const char32_t code_point : code_points) {
    append_utf8(code_point, text);
  }
  return text;
}

bool is_unicode_space(char32_t code_point) {
  if (code_point <= 0x20) {
    return (code_point >= 0x09 && code_point <= 0x0D) || code_point >= 0x1C;
  }
  if (code_point >= 0x2000 && code_point <= 0x200A) {
    return true;
  }
  switch (code_point) {
    case 0x85:    // next line
    case 0xA0:    // no-break space
    case 0x1680:  // ogham space
    case 0x2028:  // line separator
    case 0x2029:  // paragraph separator
    case 0x202F:  // narrow no-break space
    case 0x205F:  // mathematical space
    case 0x3000:  // ideographic space
      return true;
    default:
      return false;
  }
}

bool is_blank(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const Character character = character_at(text, position);
    if (!is_unicode_space(character.code_point)) {
      return false;
    }
    position += character.bytes;
  }
  return true;
}

std::string_view leading_space(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (!is_unicode_space(character.code_point)) {
      break;
    }
    end += character.bytes;
  }
  return text.substr(0, end);
}

std::string_view trailing_space(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0) {
    auto before = begin - 1;
    while (before > 0 && is_continuation_byte(text[before])) {
      --before;
    }
    if (!is_unicode_space(character_at(text, before).code_point)) {
      break;
    }
    begin = before;
  }
  return text.substr(begin);
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(leading_space(text).size());
  text.remove_suffix(trailing_space(text).size());
  return text;
}

std::size_t chunk_end(std::string_view text, std::size_t begin, std::size_t size) {
  if (text.size() - begin <= size) {
    return text.size();
  }
  const std::size_t last = begin + size;
  const std::size_t space = text.rfind(' ', last);
  if (space != std::string_view::npos && space >= begin + size / 2) {
    return space;
  }
  std::size_t end = last;
  while (end > last - 3 && is_continuation_byte(text[end])) {
    --end;
  }
  return end;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t position = 0;
  for (std::size_t found = 0; (found = text.find(from, position)) != std::string_view::npos;
       position = found + from.size()) {
    result.append(text.substr(position, found - position)).append(to);
  }
  return result.append(text.substr(position));
}

}  // namespace translate
