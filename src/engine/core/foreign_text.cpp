#include "core/foreign_text.h"

#include <fmt/format.h>

#include "core/utf8.h"

namespace translate {

namespace {

/// Whether a character acts on a terminal, ends a line or changes the direction of writing.
bool is_hidden(char32_t character) {
  return character < 0x20 || (character >= 0x7F && character <= 0x9F) || character == 0x061C || character == 0x200E ||
         character == 0x200F || (character >= 0x2028 && character <= 0x202E) ||
         (character >= 0x2066 && character <= 0x2069);
}

std::string escape(char32_t character) {
  const auto number = static_cast<unsigned>(character);
  return number < 0x100 ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  const auto append = [&](std::string_view valid) {
    for (const char32_t character : decode_utf8(valid)) {
      const bool is_kept = character < 0x80 && kept.find(static_cast<char>(character)) != std::string_view::npos;
      result += is_hidden(character) && !is_kept ? escape(character) : encode_utf8({&character, 1});
    }
  };
  while (const auto invalid = first_invalid_utf8(text)) {
    append(text.substr(0, *invalid));
    result += escape(static_cast<unsigned char>(text[*invalid]));
    text.remove_prefix(*invalid + 1);
  }
  append(text);
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, ""); }

std::string printable_message(std::string_view message) { return escaped(message, "\n\t"); }

std::string shown(std::string_view text, std::size_t most) {
  if (text.size() <= most) {
    return printable(text);
  }
  auto end = most;
  while (end > 0 && is_continuation_byte(text[end])) {
    --end;  // no part of a character
  }
  return fmt::format("{}... ({} bytes)", printable(text.substr(0, end)), text.size());
}

}  // namespace translate
