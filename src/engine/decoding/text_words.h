#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "decoding/search/search.h"
#include "decoding/translation.h"
#include "text/tokenizer.h"

namespace translate {

/// The words of a text, separated by white space. Characters are code points; white space does not count.
class TextWords {
 public:
  /// `text`: valid UTF-8.
  explicit TextWords(std::string_view text);

  [[nodiscard]] std::int64_t words() const { return std::ssize(first_characters_); }
  [[nodiscard]] std::int64_t characters() const { return std::ssize(word_of_character_); }
  /// The word that contains a character, or the last one for characters beyond the end. There must be words.
  [[nodiscard]] std::int64_t word_at(std::int64_t character) const;
  /// The first character of a word.
  [[nodiscard]] std::int64_t first_character(std::int64_t word) const {
    return first_characters_[static_cast<std::size_t>(word)];
  }

 private:
  std::vector<std::int64_t> word_of_character_;
  std::vector<std::int64_t> first_characters_;
};

/// For each of `subwords`, the result of encoding `text`, returns the word of `text` that it belongs to. This is exact
/// if the tokenizer splits word by word, as SentencePiece models do by default; otherwise it counts the characters of
/// the subwords. Empty if the text has no words.
[[nodiscard]] std::vector<std::int64_t> words_of_source(const Tokenizer& tokenizer, std::string_view text,
                                                        std::span<const std::int64_t> subwords);

/// For each of `subwords` returns the word of `text` that it belongs to, never falling. Empty if there are no words.
/// `text`: what the subwords decode to, perhaps with a prefix as it was given.
[[nodiscard]] std::vector<std::int64_t> words_of_target(const Tokenizer& tokenizer, std::string_view text,
                                                        std::span<const std::int64_t> subwords);

/// For each of `subwords` returns whether it has a letter or a digit; marks of punctuation have none.
[[nodiscard]] std::vector<bool> have_letters(const Tokenizer& tokenizer, std::span<const std::int64_t> subwords);

/// The subwords of a translation.
struct TargetSubwords {
  std::vector<std::int64_t> words;  ///< the word of each
  std::vector<bool> have_letters;   ///< of each
};

/// Returns the pairs of words that aligned subwords belong to, sorted and each once. The punctuation at a word of the
/// translation does not count: that of "OK," says nothing of the OK. `begin`: where the text begins in the encoder
/// input; `source_words`: the word of each subword of it.
[[nodiscard]] Alignment align_words(const Hypothesis& hypothesis, std::int64_t begin,
                                    const std::vector<std::int64_t>& source_words, const TargetSubwords& target);

}  // namespace translate
