#include "translate/metrics/tokenize_13a.h"

#include <cstddef>

#include "translate/metrics/separate_pairs.h"
#include "translate/metrics/words.h"

namespace translate {
namespace {

// Everything here looks at bytes: all characters the rules name are ASCII, and no byte of a longer UTF-8 sequence is.

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_stop(char c) { return c == '.' || c == ','; }

/// ASCII punctuation and the space, without ' , - . whose treatment depends on their neighbours.
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

/// The rules before tokenization; each runs over the whole line, so that `&amp;lt;` ends as `<`.
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

}  // namespace translate
