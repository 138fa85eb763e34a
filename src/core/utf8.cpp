#include "core/utf8.h"

namespace translate {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// One character, or the longest ill-formed part that one U+FFFD stands for.
struct Character {
  char32_t code_point = kReplacement;
  std::size_t bytes = 1;
  bool well_formed = false;
};

/// What a lead byte announces: Unicode, table 3-7, where only the second byte's range depends on the first byte.
struct Lead {
  std::size_t bytes = 0;  ///< 0: no lead byte
  unsigned bits = 0;      ///< the lead byte's share of the code point
  unsigned char lowest_second = 0x80;
  unsigned char highest_second = 0xBF;
};

Lead classify(unsigned char byte) {
  if (byte < 0x80) return {.bytes = 1, .bits = byte};
  if (byte < 0xC2) return {};  // continuation bytes and overlong leads
  if (byte < 0xE0) return {.bytes = 2, .bits = byte & 0x1FU};
  if (byte == 0xE0) return {.bytes = 3, .bits = 0x00, .lowest_second = 0xA0};   // no overlong forms
  if (byte == 0xED) return {.bytes = 3, .bits = 0x0D, .highest_second = 0x9F};  // no surrogates
  if (byte < 0xF0) return {.bytes = 3, .bits = byte & 0x0FU};
  if (byte == 0xF0) return {.bytes = 4, .bits = 0x00, .lowest_second = 0x90};  // no overlong forms
  if (byte < 0xF4) return {.bytes = 4, .bits = byte & 0x07U};
  if (byte == 0xF4) return {.bytes = 4, .bits = 0x04, .highest_second = 0x8F};  // nothing above U+10FFFF
  return {};
}

/// The character that starts at `position`, which lies inside the text.
Character character_at(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[position + index]); };
  const Lead lead = classify(byte(0));
  if (lead.bytes == 0) return {};
  char32_t code_point = lead.bits;
  for (std::size_t index = 1; index < lead.bytes; ++index) {
    const unsigned char lowest = index == 1 ? lead.lowest_second : 0x80;
    const unsigned char highest = index == 1 ? lead.highest_second : 0xBF;
    const bool fits = position + index < text.size() && byte(index) >= lowest && byte(index) <= highest;
    if (!fits) return {.code_point = kReplacement, .bytes = index, .well_formed = false};
    code_point = (code_point << 6U) | (byte(index) & 0x3FU);
  }
  return {.code_point = code_point, .bytes = lead.bytes, .well_formed = true};
}

void append_utf8(char32_t code_point, std::string& text) {
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (surrogate || code_point > 0x10FFFF) code_point = kReplacement;
  const auto continuation = [&](unsigned shift) { text += static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU)); };
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += static_cast<char>(0xC0U | (code_point >> 6U));
    continuation(0);
  } else if (code_point < 0x10000) {
    text += static_cast<char>(0xE0U | (code_point >> 12U));
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xF0U | (code_point >> 18U));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const Character character = character_at(text, position);
    if (!character.well_formed) return position;
    position += character.bytes;
  }
  return std::nullopt;
}

std::string replace_invalid_utf8(std::string_view text) {
  if (!first_invalid_utf8(text)) return std::string(text);
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
  for (const char32_t code_point : code_points) append_utf8(code_point, text);
  return text;
}

bool is_unicode_space(char32_t code_point) {
  if (code_point <= 0x20) return (code_point >= 0x09 && code_point <= 0x0D) || code_point >= 0x1C;
  if (code_point >= 0x2000 && code_point <= 0x200A) return true;
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
    if (!is_unicode_space(character.code_point)) return false;
    position += character.bytes;
  }
  return true;
}

std::size_t chunk_end(std::string_view text, std::size_t begin, std::size_t size) {
  if (text.size() - begin <= size) return text.size();
  const std::size_t last = begin + size;
  const std::size_t space = text.rfind(' ', last);
  if (space != std::string_view::npos && space >= begin + size / 2) return space;
  const auto continues = [&](std::size_t place) { return (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U; };
  std::size_t end = last;
  while (end > last - 3 && continues(end)) --end;
  return end;
}

}  // namespace translate
