#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace translate {

/// The words of UTF-8 `text`, separated by runs of white space (see is_unicode_space), in order, never empty. The views
/// point into `text`.
[[nodiscard]] std::vector<std::string_view> split_at_spaces(std::string_view text);

/// UTF-8 `text` without the white space at its end; a view into `text`.
[[nodiscard]] std::string_view trim_trailing_spaces(std::string_view text);

/// Assigns each distinct token a number, so that sequences can be compared as numbers.
class TokenNumbers {
 public:
  [[nodiscard]] std::vector<std::uint32_t> encode(std::vector<std::string> tokens) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(tokens.size());
    for (std::string& token : tokens) {
      const auto next = static_cast<std::uint32_t>(numbers_.size());
      numbers.push_back(numbers_.try_emplace(std::move(token), next).first->second);
    }
    return numbers;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// UTF-8 `text` in lower case, by Unicode's full mapping without a language's own rules, as Python's str.lower: one
/// character may become two (İ), a capital sigma at the end of a word becomes ς. Ill-formed parts become U+FFFD.
[[nodiscard]] std::string to_lower_case(std::string_view text);

/// True for the code points of Unicode's general category N (digits, letters and other signs used as numbers).
[[nodiscard]] bool is_unicode_number(char32_t code_point);

/// True for the code points of category P (punctuation).
[[nodiscard]] bool is_unicode_punctuation(char32_t code_point);

/// True for the code points of category S (mathematics, currencies, modifiers, pictures).
[[nodiscard]] bool is_unicode_symbol(char32_t code_point);

/// The change of a run of words from a reference to a hypothesis.
enum class WordChange {
  kSame,     ///< in both
  kMissing,  ///< in the reference only
  kAdded,    ///< in the hypothesis only
};

/// Adjacent words with the same change, separated by single spaces.
struct WordRun {
  WordChange change = WordChange::kSame;
  std::string words;

  bool operator==(const WordRun&) const = default;
};

/// Aligns the words of the reference and the hypothesis with as many common words as possible (a longest common
/// subsequence); missing words come before the words added in their place. In lines that are too long for this (4,096
/// words each), all words are missing or added.
[[nodiscard]] std::vector<WordRun> word_diff(std::string_view reference, std::string_view hypothesis);

}  // namespace translate
