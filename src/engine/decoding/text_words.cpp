#include "decoding/text_words.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/utf8.h"
#include "segments/characters.h"
#include "text/word_subwords.h"

namespace translate {

namespace {

/// Counts the characters that the subwords so far decode to, subword after subword.
std::vector<std::int64_t> words_by_characters(const Tokenizer& tokenizer, const TextWords& text,
                                              std::span<const std::int64_t> subwords) {
  if (text.words() == 0) {
    return {};
  }
  std::vector<std::int64_t> starts;  // the first character of each subword
  std::string decoded;
  std::int64_t characters = 0;
  for (std::size_t i = 0; i < subwords.size(); ++i) {
    auto next = tokenizer.decode(subwords.first(i + 1));
    const auto count = TextWords(next).characters();
    const bool only_space = next.starts_with(decoded);  // if no character was added; else bytes continue one
    starts.push_back(count > characters || only_space ? characters : std::max<std::int64_t>(count - 1, 0));
    characters = count;
    decoded = std::move(next);
  }
  std::vector<std::int64_t> words;
  for (const auto start : starts) {
    // Normalisation may have changed the number of characters: then the relative position in both texts is the same.
    words.push_back(text.word_at(characters > 0 ? start * text.characters() / characters : 0));
  }
  for (std::size_t i = words.size(); i-- > 1;) {
    words[i - 1] = std::min(words[i - 1], words[i]);  // an incomplete character may look like several
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
                                          std::span<const std::int64_t> subwords) {
  auto words = words_of_subwords(tokenizer, text, subwords);
  return words ? *std::move(words) : words_by_characters(tokenizer, TextWords(text), subwords);
}

std::vector<std::int64_t> words_of_target(const Tokenizer& tokenizer, std::string_view text,
                                          std::span<const std::int64_t> subwords) {
  return words_by_characters(tokenizer, TextWords(text), subwords);
}

std::vector<bool> have_letters(const Tokenizer& tokenizer, std::span<const std::int64_t> subwords) {
  std::vector<bool> result;
  for (std::size_t i = 0; i < subwords.size(); ++i) {
    const auto text = decode_utf8(tokenizer.decode(subwords.subspan(i, 1)));
    result.push_back(std::ranges::any_of(text, [](char32_t c) { return is_letter(c) || is_decimal_digit(c); }));
  }
  return result;
}

Alignment align_words(const Hypothesis& hypothesis, std::int64_t begin, const std::vector<std::int64_t>& source_words,
                      const TargetSubwords& target) {
  std::set<std::int64_t> with_letters;
  for (std::size_t i = 0; i < target.words.size(); ++i) {
    if (target.have_letters[i]) {
      with_letters.insert(target.words[i]);
    }
  }
  Alignment alignment;
  for (std::size_t i = 0; i < target.words.size(); ++i) {
    const auto subword = hypothesis.aligned[i] - begin;
    const bool counts = target.have_letters[i] || !with_letters.contains(target.words[i]);
    if (counts && subword >= 0 && subword < std::ssize(source_words)) {
      alignment.push_back({.source = source_words[static_cast<std::size_t>(subword)], .target = target.words[i]});
    }
  }
  sort_alignment(alignment);
  return alignment;
}

}  // namespace translate
