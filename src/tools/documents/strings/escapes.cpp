#include "documents/strings/escapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "core/utf8.h"

namespace translate::tools {

namespace {

/// What the character behind a backslash means.
constexpr std::array<std::pair<char, std::string_view>, 17> kSimple = {{{'"', "\""},
                                                                        {'\\', "\\"},
                                                                        {'/', "/"},
                                                                        {'\'', "'"},
                                                                        {'?', "?"},
                                                                        {'b', "\b"},
                                                                        {'f', "\f"},
                                                                        {'n', "\n"},
                                                                        {'r', "\r"},
                                                                        {'t', "\t"},
                                                                        {'v', "\v"},
                                                                        {'a', "\a"},
                                                                        {'e', "\x1b"},
                                                                        {' ', " "},
                                                                        {'_', "\u00a0"},
                                                                        {'N', "\u0085"},
                                                                        {'\t', "\t"}}};

/// Reads a number of exactly so many hexadecimal digits.
std::optional<char32_t> hexadecimal(std::string_view text, std::size_t digits) {
  std::uint32_t number = 0;
  if (text.size() < digits) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, number, 16);
  return error == std::errc() && end == text.data() + digits ? std::optional(static_cast<char32_t>(number))
                                                             : std::nullopt;
}

/// A decoded escape and the number of its bytes.
struct DecodedEscape {
  std::string text;
  std::size_t length;
};

std::optional<DecodedEscape> decode_number(std::string_view escape) {
  const auto digits = escape[1] == 'x' ? 2U : escape[1] == 'u' ? 4U : 8U;
  auto number = hexadecimal(escape.substr(2), digits);
  std::size_t length = 2 + digits;
  if (number && *number >= 0xD800 && *number < 0xDC00 && escape.substr(length).starts_with("\\u")) {
    const auto low = hexadecimal(escape.substr(length + 2), 4);
    if (low && *low >= 0xDC00 && *low < 0xE000) {
      number = 0x10000 + ((*number - 0xD800) << 10U) + (*low - 0xDC00);
      length += 6;
    }
  }
  if (!number || *number == 0) {
    return std::nullopt;
  }
  return DecodedEscape{.text = encode_utf8(std::u32string(1, *number)), .length = length};
}

/// Decodes the escape at the beginning of a text.
std::optional<DecodedEscape> decode_escape(std::string_view escape) {
  if (escape.size() < 2) {
    return std::nullopt;
  }
  if (escape[1] == 'u' || escape[1] == 'x' || escape[1] == 'U') {
    return decode_number(escape);
  }
  const auto* const simple = std::ranges::find(kSimple, escape[1], &std::pair<char, std::string_view>::first);
  if (simple == kSimple.end()) {
    return std::nullopt;
  }
  return DecodedEscape{.text = std::string(simple->second), .length = 2};
}

}  // namespace

bool add_backslashes(std::string_view file, std::size_t begin, std::size_t end, DecodedString& decoded) {
  const auto text = file.substr(0, end);
  for (auto at = begin; at < end;) {
    if (text[at] != '\\') {
      const auto next = std::min(text.find('\\', at), end);
      decoded.add(text.substr(at, next - at), next);
      at = next;
      continue;
    }
    const auto escape = decode_escape(text.substr(at));
    if (!escape) {
      return false;
    }
    at += escape->length;
    decoded.add(escape->text, at);
  }
  return true;
}

std::optional<DecodedString> decode_backslashes(std::string_view file, std::size_t begin, std::size_t end) {
  DecodedString decoded(file, begin);
  return add_backslashes(file, begin, end, decoded) ? std::optional(std::move(decoded)) : std::nullopt;
}

std::string escape_backslashes(std::string_view text) {
  constexpr std::string_view kControls = "\b\f\n\r\t";
  constexpr std::string_view kLetters = "bfnrt";
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped += {'\\', c};
    } else if (const auto control = kControls.find(c); control != std::string_view::npos) {
      escaped += {'\\', kLetters[control]};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned int>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace translate::tools
