#include "segments/placeholders.h"

#include <regex>
#include <string>

#include "segments/characters.h"

namespace translate {

namespace {

/// Placeholders and tags are looked for in so many bytes: std::regex takes stack memory for each byte that it matches.
constexpr std::size_t kLongest = 300;

bool is_ascii_word(char c) {
  return is_ascii_digit(c) || is_ascii_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

/// Returns the length of what an expression matches at `begin`.
std::size_t matched(const std::regex& expression, std::string_view text, std::size_t begin) {
  const auto window = text.substr(begin, kLongest);
  std::cmatch match;
  const bool found = std::regex_search(window.data(), window.data() + window.size(), match, expression,
                                       std::regex_constants::match_continuous);
  return found ? static_cast<std::size_t>(match.length()) : 0;
}

/// {name}, { name }, {0:d}, {x!r}, {n, number}, {}, with $, #, % or @ in front of the bracket; {{x}}, {{ x | filter }}.
std::size_t in_brackets(std::string_view text, std::size_t begin) {
  static const std::regex twice(R"(\{\{[^{}]{1,200}\}\})");
  static const std::regex once(R"([$#%@]?\{ *[\w.\[\]-]{0,80} *([:!,][^{}]{0,80})?\})");
  const auto length = matched(twice, text, begin);
  return length > 0 ? length : matched(once, text, begin);
}

/// $t(key), $name, $NAME$
std::size_t after_dollar(std::string_view text, std::size_t begin) {
  static const std::regex expression(R"(\$(\w{1,10}\([^()]{1,200}\)|[A-Za-z_]\w{0,80}\$?))");
  return matched(expression, text, begin);
}

/// %s, %1$d, %(name)s, %1, %%. A letter of a word, as in "5 %discount", is no conversion, but "%ds" is 5 seconds.
std::size_t after_percent(std::string_view text, std::size_t begin) {
  static const std::regex named(R"(%\([\w. -]{1,80}\)[-+#0]*\d{0,3}(\.\d{1,3})?[A-Za-z])");
  static const std::regex conversion(R"(%(%|(\d{1,2}\$)?[-+#0']*(\d{1,3}|\*)?(\.(\d{1,3}|\*))?(hh|h|ll|l|j|z|t|L|q)?)"
                                     R"(([diouxXeEfFgGaAcCsSpn](?![A-Za-z]{3})|@)|L?\d{1,2}(?!\d)))");
  if (begin > 0 && is_ascii_digit(text[begin - 1]) && !text.substr(begin).starts_with("%%")) {
    return 0;  // "50%"
  }
  const auto length = matched(named, text, begin);
  return length > 0 ? length : matched(conversion, text, begin);
}

/// :name, :smile:
std::size_t after_colon(std::string_view text, std::size_t begin) {
  static const std::regex expression(R"(:[a-z_]\w{1,60}:?)");
  constexpr std::string_view kInFront = " \t\"'([";
  const bool begins_word = begin == 0 || kInFront.find(text[begin - 1]) != std::string_view::npos;
  const auto length = begins_word ? matched(expression, text, begin) : 0;
  const bool is_word = length > 0 && begin + length < text.size() && is_ascii_word(text[begin + length]);
  return is_word ? 0 : length;
}

}  // namespace

std::size_t placeholder_length(std::string_view text, std::size_t begin) {
  switch (text[begin]) {
    case '{':
    case '#':
    case '@':
      return in_brackets(text, begin);
    case '$': {
      const auto length = in_brackets(text, begin);
      return length > 0 ? length : after_dollar(text, begin);
    }
    case '%': {
      const auto length = in_brackets(text, begin);
      return length > 0 ? length : after_percent(text, begin);
    }
    case ':':
      return after_colon(text, begin);
    default:
      return 0;
  }
}

TextTag text_tag(std::string_view text, std::size_t begin) {
  static const std::regex expression(
      R"(</?([A-Za-z][\w:.-]{0,60}|\d{1,3})(\s+[\w:.-]{1,60}(\s*=\s*("[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+))?)*\s*/?>)");
  if (text[begin] != '<') {
    return {};
  }
  const auto length = matched(expression, text, begin);
  if (length == 0) {
    return {};
  }
  const auto tag = text.substr(begin, length);
  const bool is_closing = tag.starts_with("</");
  const auto name = tag.substr(is_closing ? 2 : 1);
  const auto kind = is_closing            ? TextTag::Kind::kClosing
                    : tag.ends_with("/>") ? TextTag::Kind::kEmpty
                                          : TextTag::Kind::kOpening;
  return {.length = length, .kind = kind, .name = name.substr(0, name.find_first_of(" \t\n/>"))};
}

}  // namespace translate
