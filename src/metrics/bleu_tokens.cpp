#include "metrics/bleu_tokens.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/utf8.h"
#include "metrics/words.h"

namespace translate {

namespace {

// These functions work on bytes: all characters in the rules are ASCII, and no byte of a longer UTF-8 sequence is.

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_stop(char c) { return c == '.' || c == ','; }

/// True for ASCII punctuation and the space, without ' , - . whose treatment depends on their neighbours.
bool is_symbol(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// Applies the rules before tokenization; each runs over the whole line, so that `&amp;lt;` becomes `<`.
std::string unescape(std::string_view line) {
  std::string text = replace_all(line, "<skipped>", "");
  text = replace_all(text, "-\n", "");
  text = replace_all(text, "\n", " ");
  text = replace_all(text, "&quot;", "\"");
  text = replace_all(text, "&amp;", "&");
  text = replace_all(text, "&lt;", "<");
  return replace_all(text, "&gt;", ">");
}

std::string separate_symbols(const std::string& text) {
  std::string separated;
  separated.reserve(2 * text.size());
  for (const char c : text) {
    if (is_symbol(c)) {
      separated.append({' ', c, ' '});
    } else {
      separated.push_back(c);
    }
  }
  return separated;
}

std::vector<std::string> words_of(std::string_view line) {
  const std::vector<std::string_view> words = split_at_spaces(line);
  return {words.begin(), words.end()};
}

/// The rules that 13a and zh share: ASCII symbols, full stops, commas and dashes become tokens.
std::vector<std::string> separate_marks(const std::string& line) {
  std::string text = separate_symbols(line);
  text = separate_pairs(text, [](char a, char b) { return !is_digit(a) && is_stop(b); }, {.behind = true});
  text = separate_pairs(text, [](char a, char b) { return is_stop(a) && !is_digit(b); }, {.before = true});
  text = separate_pairs(text, [](char a, char b) { return is_digit(a) && b == '-'; }, {.behind = true});
  return words_of(text);
}

}  // namespace

std::vector<std::string> tokenize_13a(std::string_view line) {
  // The spaces around the line give its first and last character the neighbour that the pair rules ask for.
  return separate_marks(" " + unescape(line) + " ");
}

std::vector<std::string> tokenize_intl(std::string_view line) {
  std::u32string text = separate_pairs(
      decode_utf8(line), [](char32_t a, char32_t b) { return !is_unicode_number(a) && is_unicode_punctuation(b); },
      {.behind = true});
  text = separate_pairs(text, [](char32_t a, char32_t b) { return is_unicode_punctuation(a) && !is_unicode_number(b); },
                        {.before = true});
  std::u32string separated;
  separated.reserve(2 * text.size());
  for (const char32_t code_point : text) {
    if (is_unicode_symbol(code_point)) {
      separated.append({U' ', code_point, U' '});
    } else {
      separated.push_back(code_point);
    }
  }
  return words_of(encode_utf8(separated));
}

namespace {

/// A range of code points, both ends included.
struct CodePoints {
  char32_t first;
  char32_t last;
};

/// The code points that sacreBLEU counts as Chinese, in rising order. Its ranges of ideographs beyond U+FFFF compare as
/// U+2001 to U+2A6D, so punctuation, arrows and mathematics count, and these ideographs do not.
constexpr std::array<CodePoints, 13> kChinese = {{{0x2001, 0x2A6D},
                                                  {0x2E80, 0x2FDF},
                                                  {0x2FF0, 0x303F},
                                                  {0x3100, 0x312F},
                                                  {0x31A0, 0x31EF},
                                                  {0x3200, 0x4DB5},
                                                  {0x4E00, 0x9FBB},
                                                  {0xF900, 0xFA2D},
                                                  {0xFA30, 0xFA6A},
                                                  {0xFA70, 0xFAD9},
                                                  {0xFE10, 0xFE1F},
                                                  {0xFE30, 0xFE4F},
                                                  {0xFF00, 0xFFEF}}};

bool is_chinese(char32_t code_point) {
  return std::ranges::any_of(kChinese, [code_point](const CodePoints& range) {
    return code_point >= range.first && code_point <= range.last;
  });
}

/// `line` without the white space at both of its ends.
std::string_view trim_spaces(std::string_view line) {
  const std::vector<std::string_view> words = split_at_spaces(line);
  return words.empty() ? std::string_view()
                       : std::string_view(words.front().data(), words.back().data() + words.back().size());
}

}  // namespace

std::vector<std::string> tokenize_zh(std::string_view line) {
  std::u32string separated;
  for (const char32_t code_point : decode_utf8(trim_spaces(line))) {
    if (is_chinese(code_point)) {
      separated.append({U' ', code_point, U' '});
    } else {
      separated.push_back(code_point);
    }
  }
  return separate_marks(encode_utf8(separated));
}

namespace {

std::vector<std::string> characters_of(std::string_view line) {
  std::vector<std::string> characters;
  for (const char32_t code_point : decode_utf8(line)) {
    if (!is_unicode_space(code_point)) {
      characters.push_back(encode_utf8({&code_point, 1}));
    }
  }
  return characters;
}

std::vector<std::string> tokens_of(std::string_view line, BleuTokenization tokenization) {
  switch (tokenization) {
    case BleuTokenization::k13a:
      return tokenize_13a(line);
    case BleuTokenization::kIntl:
      return tokenize_intl(line);
    case BleuTokenization::kNone:
      return words_of(line);
    case BleuTokenization::kChar:
      return characters_of(line);
    case BleuTokenization::kZh:
      return tokenize_zh(line);
  }
  throw std::logic_error("a BLEU tokenization that is none");
}

}  // namespace

std::vector<std::string> bleu_tokens(std::string_view line, const BleuOptions& options) {
  // Trailing white space is removed before 13a's rule that joins words at "-\n".
  if (!options.lowercase) {
    return tokens_of(trim_trailing_spaces(line), options.tokenization);
  }
  const std::string lower = to_lower_case(line);
  return tokens_of(trim_trailing_spaces(lower), options.tokenization);
}

}  // namespace translate
