#include "segments/text_marks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/utf8.h"
#include "text/word_characters.h"

namespace translate {

std::vector<TextMark> words_of(std::string_view text) {
  std::vector<TextMark> words;
  std::size_t at = leading_space(text).size();
  while (at < text.size()) {
    auto end = at;
    while (end < text.size() && leading_space(text.substr(end)).empty()) {
      ++end;
    }
    words.push_back({.begin = at, .end = end});
    at = end + leading_space(text.substr(end)).size();
  }
  return words;
}

std::size_t leading_punctuation(std::string_view text) {
  const auto characters = decode_utf8(text);
  const auto word = std::ranges::find_if(characters, is_word_character);
  return word == characters.end() ? 0 : encode_utf8(std::u32string(characters.begin(), word)).size();
}

std::size_t trailing_punctuation(std::string_view text) {
  const auto characters = decode_utf8(text);
  const auto word = std::find_if(characters.rbegin(), characters.rend(), is_word_character).base();
  return word == characters.begin() ? 0 : encode_utf8(std::u32string(word, characters.end())).size();
}

TextMark bare_word(std::string_view text, const TextMark& word) {
  const auto whole = text.substr(word.begin, word.end - word.begin);
  return {.begin = word.begin + leading_punctuation(whole), .end = word.end - trailing_punctuation(whole)};
}

std::vector<std::vector<std::size_t>> aligned_sources(std::span<const AlignmentPoint> alignment,
                                                      std::size_t source_words, std::size_t target_words) {
  std::vector<std::vector<std::size_t>> sources(target_words);
  for (const auto& [source, target] : alignment) {
    if (source >= 0 && std::cmp_less(source, source_words) && target >= 0 && std::cmp_less(target, target_words)) {
      sources[static_cast<std::size_t>(target)].push_back(static_cast<std::size_t>(source));
    }
  }
  return sources;
}

}  // namespace translate
