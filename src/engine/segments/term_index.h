#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// True for characters of words in scripts that separate words by spaces.
[[nodiscard]] bool is_of_spaced_word(char32_t character);

/// Finds terms in texts. The time for a place of a text depends on the length of the longest match there, and on the
/// logarithm of the number of terms.
class TermIndex {
 public:
  /// How the letters of a text must be written to match a term.
  enum class Letters {
    kExact,    ///< as in the term
    kAnyCase,  ///< in capital or small letters
  };
  struct Term {
    std::string text;  ///< valid UTF-8; white space around it does not count, and blank terms are left out
    Letters letters = Letters::kExact;
    std::size_t number = 0;  ///< of the term, for the caller
  };
  struct Match {
    std::size_t length = 0;  ///< in bytes; 0: there is no term
    std::size_t number = 0;  ///< of the term
  };

  TermIndex() = default;

  /// Of terms with the same text and letters the first one counts.
  explicit TermIndex(std::vector<Term> terms);

  [[nodiscard]] bool is_empty() const { return entries_.empty(); }

  /// Returns the longest term that `text` (valid UTF-8) has at `begin`, a boundary of characters. A term is a whole
  /// word, or several, in scripts that separate words. Of terms that differ in the case of their letters alone, one
  /// that is written as the text comes first. `any_case`: the letters of exact terms may be written otherwise, too, as
  /// in a text in capitals.
  [[nodiscard]] Match match(std::string_view text, std::size_t begin, bool any_case = false) const;

 private:
  struct Entry {
    std::string key;   ///< the text in folded case
    std::string text;  ///< empty if the case does not matter
    std::size_t number;
  };
  using Entries = std::vector<Entry>;

  [[nodiscard]] static const Entry* matching(Entries::const_iterator first, Entries::const_iterator end,
                                             std::size_t size, std::string_view written, bool any_case);

  Entries entries_;  ///< by key; of equal keys exact ones first
};

}  // namespace translate
