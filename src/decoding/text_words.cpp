#include "translate/decoding/text_words.h"

#include <algorithm>
#include <string>

#include "translate/core/utf8.h"

namespace translate {
namespace {

/// The words themselves.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::u32string word;
  for (const char32_t c : decode_utf8(text) + U' ') {
    if (!is_unicode_space(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(encode_utf8(word));
      word.clear();
    }
  }
  return words;
}

/// By the characters that the pieces so far decode to, piece after piece.
std::vector<std::int64_t> words_by_characters(const Tokenizer& tokenizer, const TextWords& text,
                                              std::span<const std::int64_t> pieces) {
  if (text.words() == 0) {
    return {};
  }
  std::vector<std::int64_t> starts;  // the character with which each piece begins
  std::string decoded;
  std::int64_t characters = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    auto next = tokenizer.decode(pieces.first(i + 1));
    const auto count = TextWords(next).characters();
    const bool only_space = next.starts_with(decoded);  // where no character came; else one that bytes spell goes on
    starts.push_back(count > characters || only_space ? characters : std::max<std::int64_t>(count - 1, 0));
    characters = count;
    decoded = std::move(next);
  }
  std::vector<std::int64_t> words;
  for (const auto start : starts) {
    // Normalisation may have made other characters of the text: then what is as far in the one as in the other.
    words.push_back(text.word_at(characters > 0 ? start * text.characters() / characters : 0));
  }
  for (std::size_t i = words.size(); i-- > 1;) {
    words[i - 1] = std::min(words[i - 1], words[i]);  // half a character may look like several
  }
  return words;
}

}  // namespace

TextWords::TextWords(std::string_view text) {
  bool inside = false;
  for (const char32_t c : decode_utf8(text)) {
    if (is_unicode_space(c)) {
      inside = false;
      continue;
    }
    if (!inside) {
      first_characters_.push_back(characters());
      inside = true;
    }
    word_of_character_.push_back(words() - 1);
  }
}

std::int64_t TextWords::word_at(std::int64_t character) const {
  return character < characters() ? word_of_character_[static_cast<std::size_t>(character)] : words() - 1;
}

std::vector<std::int64_t> words_of_source(const Tokenizer& tokenizer, std::string_view text,
                                          std::span<const std::int64_t> pieces) {
  std::vector<std::int64_t> words;
  std::vector<std::int64_t> word_by_word;
  std::int64_t index = 0;
  for (const auto& word : split_words(text)) {
    const auto of_word = tokenizer.encode(word);
    words.insert(words.end(), of_word.size(), index++);
    word_by_word.insert(word_by_word.end(), of_word.begin(), of_word.end());
  }
  return std::ranges::equal(word_by_word, pieces) ? words : words_by_characters(tokenizer, TextWords(text), pieces);
}

std::vector<std::int64_t> words_of_target(const Tokenizer& tokenizer, std::span<const std::int64_t> pieces) {
  return words_by_characters(tokenizer, TextWords(tokenizer.decode(pieces)), pieces);
}

}  // namespace translate
