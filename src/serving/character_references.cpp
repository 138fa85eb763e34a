#include "translate/serving/character_references.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "translate/core/utf8.h"

namespace translate {
namespace {

/// Names of U+00A0 to U+00FF, in their order (HTML 4.01, section 24.2).
constexpr std::string_view kLatin1[] = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

constexpr std::pair<std::string_view, char32_t> kOthers[] = {
    {"amp", U'&'},         {"lt", U'<'},          {"gt", U'>'},          {"quot", U'"'},       {"apos", U'\''},
    {"OElig", U'\u0152'},  {"oelig", U'\u0153'},  {"Yuml", U'\u0178'},   {"ensp", U'\u2002'},  {"emsp", U'\u2003'},
    {"thinsp", U'\u2009'}, {"ndash", U'\u2013'},  {"mdash", U'\u2014'},  {"lsquo", U'\u2018'}, {"rsquo", U'\u2019'},
    {"sbquo", U'\u201a'},  {"ldquo", U'\u201c'},  {"rdquo", U'\u201d'},  {"bdquo", U'\u201e'}, {"bull", U'\u2022'},
    {"hellip", U'\u2026'}, {"lsaquo", U'\u2039'}, {"rsaquo", U'\u203a'}, {"euro", U'\u20ac'},  {"trade", U'\u2122'}};

std::optional<char32_t> number(std::string_view digits) {
  const bool hexadecimal = digits.starts_with('x') || digits.starts_with('X');
  digits.remove_prefix(hexadecimal ? 1 : 0);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size() || value == 0) {
    return std::nullopt;
  }
  return static_cast<char32_t>(value);
}

/// The character that a name, or '#' and a number, stands for.
std::optional<char32_t> character(std::string_view name) {
  if (name.starts_with('#')) {
    return number(name.substr(1));
  }
  if (const auto* latin = std::ranges::find(kLatin1, name); latin != std::end(kLatin1)) {
    return static_cast<char32_t>(0xA0 + (latin - std::begin(kLatin1)));
  }
  const auto* other = std::ranges::find(kOthers, name, &std::pair<std::string_view, char32_t>::first);
  return other == std::end(kOthers) ? std::nullopt : std::optional(other->second);
}

}  // namespace

std::string decode_character_references(std::string_view text) {
  constexpr std::size_t kLongest = 10;  // "&#x10FFFF;"
  std::string decoded;
  while (!text.empty()) {
    const auto begin = std::min(text.find('&'), text.size());
    decoded += text.substr(0, begin);
    text.remove_prefix(begin);
    const auto end = text.substr(0, kLongest).find(';');
    if (end == std::string_view::npos) {
      decoded += text.substr(0, 1);
      text.remove_prefix(text.empty() ? 0 : 1);
    } else if (const auto c = character(text.substr(1, end - 1))) {
      decoded += encode_utf8(std::u32string_view(&*c, 1));
      text.remove_prefix(end + 1);
    } else {
      decoded += '&';
      text.remove_prefix(1);
    }
  }
  return decoded;
}

}  // namespace translate
