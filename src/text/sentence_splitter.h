#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/abbreviations.h"

namespace translate {

/// A part of a text, in bytes: from `begin` to before `end`.
struct TextRange {
  std::size_t begin;
  std::size_t end;

  bool operator==(const TextRange&) const = default;
};

/// Splits text into sentences: at the sentence boundaries of the Unicode standard (UAX 29) as ICU finds them, except
/// those after abbreviations, initials and ordinals of the language, those before a lower-case letter that follows a
/// closing quotation mark, and those without white space after a mark of a script that has white space between
/// sentences ("www.example.org?q=A"). Beyond the standard, a sentence may also end with an ellipsis (…), and in a text
/// without any capital letter sentences begin with lower-case ones.
class SentenceSplitter {
 public:
  /// `language`: of the text, an ISO 639 code such as "en" or "en-GB", for which there may be a list of abbreviations
  /// (see abbreviations_of).
  explicit SentenceSplitter(std::string language = "");

  /// The sentences of `text` (valid UTF-8) in their order, without the white space around them, which is all that is
  /// missing; none for a blank text. Thread-safe. Throws RuntimeError where ICU is needed and not installed.
  [[nodiscard]] std::vector<TextRange> split(std::string_view text) const;

  /// The same with ICU's boundaries as they are, for comparison.
  [[nodiscard]] std::vector<TextRange> split_by_icu_alone(std::string_view text) const;

 private:
  std::string language_;
  const Abbreviations& abbreviations_;
};

/// Whether `text` may hold more than one sentence: false only where there is surely no boundary. Quick, and without
/// ICU.
[[nodiscard]] bool may_hold_several_sentences(std::string_view text);

}  // namespace translate
