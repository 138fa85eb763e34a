// The lines of a cue.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "documents/markup.h"
#include "documents/prose/subtitles.h"

namespace translate::tools {

namespace {

constexpr std::size_t kLongestSubtitleLine = 42;  // characters

/// A word with the tags in and around it, and the number of characters that are seen.
struct SubtitleWord {
  std::string text;
  std::size_t characters = 0;
};

/// Splits a text at spaces outside of tags.
std::vector<SubtitleWord> subtitle_words(std::string_view text) {
  std::vector<SubtitleWord> words;
  bool is_inside = false;
  std::string seen;
  const auto end_word = [&] {
    if (is_inside) {
      words.back().characters = decode_utf8(seen).size();
    }
    is_inside = false;
    seen.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const auto close = c == '<' ? text.find('>', at) : c == '{' ? text.find('}', at) : std::string_view::npos;
    const auto length = close == std::string_view::npos ? 1 : close + 1 - at;
    if (length == 1 && is_html_space(c)) {
      end_word();
      ++at;
      continue;
    }
    if (!is_inside) {
      words.emplace_back();
      is_inside = true;
    }
    words.back().text += text.substr(at, length);
    if (length == 1) {
      seen += c;
    }
    at += length;
  }
  end_word();
  return words;
}

/// The characters of the words [begin, end) on one line.
std::size_t line_length(const std::vector<SubtitleWord>& words, std::size_t begin, std::size_t end) {
  std::size_t length = begin < end ? end - begin - 1 : 0;
  for (auto i = begin; i < end; ++i) {
    length += words[i].characters;
  }
  return length;
}

/// Returns the number of words of the first of two lines: those of about equal length, better behind punctuation.
std::size_t best_break(const std::vector<SubtitleWord>& words) {
  constexpr std::size_t kForPunctuation = 8;  // characters
  std::size_t best = 1;
  std::size_t least = std::string::npos;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto first = line_length(words, 0, i);
    const auto second = line_length(words, i, words.size());
    auto cost = (first > second ? first - second : second - first) + kForPunctuation;
    cost -= std::string_view(".,;:!?").find(words[i - 1].text.back()) != std::string_view::npos ? kForPunctuation : 0;
    cost += std::max(first, second) > kLongestSubtitleLine ? 1000 : 0;
    if (cost < least) {
      least = cost;
      best = i;
    }
  }
  return best;
}

}  // namespace

std::string wrap_subtitle(std::string_view text, std::string_view line_end) {
  const auto words = subtitle_words(text);
  const auto length = line_length(words, 0, words.size());
  std::string wrapped;
  std::size_t on_line = 0;
  std::size_t begin = 0;
  auto break_at = words.size();
  if (length > kLongestSubtitleLine && words.size() > 1) {
    const auto best = best_break(words);
    const bool fits =
        std::max(line_length(words, 0, best), line_length(words, best, words.size())) <= kLongestSubtitleLine;
    break_at = fits ? best : std::string::npos;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_full = break_at == std::string::npos && on_line + 1 + words[i].characters > kLongestSubtitleLine;
    if (i > begin) {
      const bool breaks = i == break_at || is_full;
      wrapped += breaks ? line_end : " ";
      on_line = breaks ? 0 : on_line + 1;
      begin = breaks ? i : begin;
    }
    wrapped += words[i].text;
    on_line += words[i].characters;
  }
  return wrapped;
}

}  // namespace translate::tools
