#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/abbreviations.h"

namespace translate {

/// A range of a text in bytes: [begin, end).
struct TextRange {
  std::size_t begin;
  std::size_t end;

  bool operator==(const TextRange&) const = default;
};

/// Splits text into sentences: at the sentence boundaries of the Unicode standard (UAX 29) as ICU finds them, except
/// those after abbreviations, initials and ordinals of the language, those before a lower-case letter that follows a
/// closing quotation mark, those directly after a closing bracket of Chinese or Japanese unless an opening one follows
/// (「猫？」と彼は言った。), those behind an opening bracket, before which the sentence begins, and those without white
/// space after an end mark in scripts that put white space between sentences ("www.example.org?q=A"). Beyond the
/// standard, a sentence may also end with an ellipsis (…), and in a text without any capital letter sentences begin
/// with lower-case ones.
class SentenceSplitter {
 public:
  /// `language` is the text's ISO 639 code, such as "en" or "en-GB"; some languages have a list of abbreviations (see
  /// abbreviations_of).
  explicit SentenceSplitter(std::string language = "");

  /// Returns the sentences of `text` (valid UTF-8) in order. Only the white space around sentences is left out; a blank
  /// text has no sentences. Thread-safe. Throws RuntimeError if ICU is needed and not installed.
  [[nodiscard]] std::vector<TextRange> split(std::string_view text) const;

  /// The same with ICU's boundaries unchanged, for comparison.
  [[nodiscard]] std::vector<TextRange> split_by_icu_alone(std::string_view text) const;

 private:
  std::string language_;
  const Abbreviations& abbreviations_;
};

/// Returns false only if `text` surely holds no sentence boundary. Fast, and without ICU.
[[nodiscard]] bool may_hold_several_sentences(std::string_view text);

}  // namespace translate
