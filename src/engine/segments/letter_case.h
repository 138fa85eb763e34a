#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace translate {

/// How the letters of a text are written.
enum class LetterCase {
  kMixed,  ///< as in a usual sentence, or in a script without capital letters
  kUpper,  ///< ALL CAPITALS: all letters, at least four
  kTitle,  ///< Like a Headline: at least three words, all long ones with a capital letter and small ones after it
};

/// Returns how a text (valid UTF-8) is written, by Unicode's properties of its letters.
[[nodiscard]] LetterCase letter_case_of(std::string_view text);

/// True for a word (valid UTF-8) of at least four letters that are all capital ones, with no more than apostrophes and
/// hyphens between them: shorter words in capitals are often abbreviations.
[[nodiscard]] bool is_in_capitals(std::string_view word);

/// Returns a text in small letters by the rules of its language (an ISO 639 code; empty: those of no language).
[[nodiscard]] std::string lower_case(std::string_view text, const std::string& language);

/// The same with a capital letter at the beginning, and in English for the pronoun "I": as in a sentence.
[[nodiscard]] std::string sentence_case(std::string_view text, const std::string& language);

/// Returns a text whose first letter is a capital one, by the rules of its language.
[[nodiscard]] std::string capitalized(std::string_view text, const std::string& language);

/// Returns a text with its letters as `letter_case` says, by the rules of its language: ß becomes SS, Turkish i becomes
/// İ, Greek capitals lose their accents. In kTitle each word begins with a capital letter; words of less than four
/// letters inside a text do only if `short_words`.
[[nodiscard]] std::string raised(std::string_view text, LetterCase letter_case, const std::string& language,
                                 bool short_words = false);

/// True if all short words (of less than four letters) inside a text begin with capital letters, too, and there are
/// some.
[[nodiscard]] bool has_short_capitals(std::string_view text);

}  // namespace translate
