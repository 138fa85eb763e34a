#include "core/text_width.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/utf8.h"

namespace translate {

namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

// Blocks of East Asian wide characters and of emoji (Unicode, annex 11), without their few narrow exceptions.
constexpr std::array<CharacterRange, 11> kWide = {{{0x1100, 0x115F},
                                                   {0x2E80, 0x303E},
                                                   {0x3041, 0xA4CF},
                                                   {0xA960, 0xA97F},
                                                   {0xAC00, 0xD7A3},
                                                   {0xF900, 0xFAFF},
                                                   {0xFE30, 0xFE6F},
                                                   {0xFF00, 0xFF60},
                                                   {0xFFE0, 0xFFE6},
                                                   {0x1F300, 0x1FAFF},
                                                   {0x20000, 0x3FFFD}}};
constexpr std::array<CharacterRange, 5> kCombining = {
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};

bool lies_in(char32_t character, std::span<const CharacterRange> ranges) {
  return std::ranges::any_of(
      ranges, [character](const CharacterRange& r) { return character >= r.first && character <= r.last; });
}

std::size_t width_of(char32_t character) {
  if (lies_in(character, kCombining)) {
    return 0;
  }
  return lies_in(character, kWide) ? 2 : 1;
}

/// The text, or its beginning and "…" if it is wider than `width`.
std::string fit(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) {
    return std::string(text);
  }
  return cut_to_width(text, std::max<std::size_t>(width, 1) - 1) + "…";
}

std::string spaces(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ');
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char32_t character : decode_utf8(text)) {
    width += width_of(character);
  }
  return width;
}

std::string pad_right(std::string_view text, std::size_t width) {
  const auto fitted = fit(text, width);
  return fitted + spaces(fitted, width);
}

std::string pad_left(std::string_view text, std::size_t width) {
  const auto fitted = fit(text, width);
  return spaces(fitted, width) + fitted;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  std::u32string kept;
  std::size_t used = 0;
  for (const char32_t character : decode_utf8(text)) {
    used += width_of(character);
    if (used > width) {
      break;
    }
    kept.push_back(character);
  }
  return encode_utf8(kept);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) {
      return;
    }
    if (lines.empty() || display_width(lines.back()) + 1 + display_width(word) > width) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
    word.clear();
  };
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (code <= 0x20 || code == 0x7F) {
      end_word();
    } else {
      word += byte;
    }
  }
  end_word();
  return lines;
}

}  // namespace translate
