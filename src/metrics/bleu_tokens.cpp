#include "metrics/bleu_tokens.h"

#include <cstddef>
#include <stdexcept>

#include "core/error.h"
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

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::size_t position = text.find(from);
  if (position == std::string::npos) return;
  std::string replaced;
  replaced.reserve(text.size());
  std::size_t copied = 0;
  for (; position != std::string::npos; position = text.find(from, copied)) {
    replaced.append(text, copied, position - copied).append(to);
    copied = position + from.size();
  }
  text = replaced.append(text, copied);
}

/// Applies the rules before tokenization; each runs over the whole line, so that `&amp;lt;` becomes `<`.
std::string unescape(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  return text;
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

}  // namespace

std::vector<std::string> tokenize_13a(std::string_view line) {
  // The spaces around the line give its first and last character the neighbour that the pair rules ask for.
  std::string text = separate_symbols(" " + unescape(line) + " ");
  text = separate_pairs(text, [](char a, char b) { return !is_digit(a) && is_stop(b); }, {.behind = true});
  text = separate_pairs(text, [](char a, char b) { return is_stop(a) && !is_digit(b); }, {.before = true});
  text = separate_pairs(text, [](char a, char b) { return is_digit(a) && b == '-'; }, {.behind = true});
  const std::vector<std::string_view> tokens = split_at_spaces(text);
  return {tokens.begin(), tokens.end()};
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
  const std::string spaced = encode_utf8(separated);
  const std::vector<std::string_view> tokens = split_at_spaces(spaced);
  return {tokens.begin(), tokens.end()};
}

namespace {

std::vector<std::string> words_of(std::string_view line) {
  const std::vector<std::string_view> words = split_at_spaces(line);
  return {words.begin(), words.end()};
}

std::vector<std::string> characters_of(std::string_view line) {
  std::vector<std::string> characters;
  for (const char32_t code_point : decode_utf8(line)) {
    if (!is_unicode_space(code_point)) characters.push_back(encode_utf8({&code_point, 1}));
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
  }
  throw std::logic_error("a BLEU tokenization that is none");
}

}  // namespace

std::string_view to_string(BleuTokenization tokenization) {
  return kBleuTokenizations.at(static_cast<std::size_t>(tokenization));
}

BleuTokenization bleu_tokenization(std::string_view name) {
  for (std::size_t i = 0; i < kBleuTokenizations.size(); ++i) {
    if (kBleuTokenizations[i] == name) return static_cast<BleuTokenization>(i);
  }
  throw ConfigError("BLEU has no tokenization \"" + std::string(name) + "\": it has 13a, intl, none and char");
}

std::vector<std::string> bleu_tokens(std::string_view line, const BleuOptions& options) {
  // Trailing white space is removed before 13a's rule that joins words at "-\n".
  if (!options.lowercase) return tokens_of(trim_trailing_spaces(line), options.tokenization);
  const std::string lower = to_lower_case(line);
  return tokens_of(trim_trailing_spaces(lower), options.tokenization);
}

}  // namespace translate
