#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "translate/text/tokenizer.h"

namespace translate {

/// The words of a text: what white space separates. Characters are code points, white space not counted.
class TextWords {
 public:
  /// `text`: valid UTF-8.
  explicit TextWords(std::string_view text);

  [[nodiscard]] std::int64_t words() const { return std::ssize(first_characters_); }
  [[nodiscard]] std::int64_t characters() const { return std::ssize(word_of_character_); }
  /// The word that a character is in; the last one for what lies beyond. There must be words.
  [[nodiscard]] std::int64_t word_at(std::int64_t character) const;
  /// The first character of a word.
  [[nodiscard]] std::int64_t first_character(std::int64_t word) const {
    return first_characters_[static_cast<std::size_t>(word)];
  }

 private:
  std::vector<std::int64_t> word_of_character_;
  std::vector<std::int64_t> first_characters_;
};

/// For each of `pieces`, as encoding `text` gave them, the word of `text` that it is of: exact where the tokenizer cuts
/// word by word, as SentencePiece models do unless told otherwise; else by the characters that pieces stand for.
/// Empty where the text has no words.
[[nodiscard]] std::vector<std::int64_t> words_of_source(const Tokenizer& tokenizer, std::string_view text,
                                                        std::span<const std::int64_t> pieces);

/// For each of `pieces` the word of decode(pieces) that it is of, never falling. Empty where there are no words.
[[nodiscard]] std::vector<std::int64_t> words_of_target(const Tokenizer& tokenizer,
                                                        std::span<const std::int64_t> pieces);

}  // namespace translate
