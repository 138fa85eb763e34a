#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The white space inside a text that is more than one space, such as line ends: where it stands, so that a translation
/// can have it in the same places.
struct TextSpacing {
  /// White space behind a word.
  struct Gap {
    std::size_t words;      ///< of the text before it
    std::size_t sentences;  ///< that have ended before it; 0 where the word before it ends no sentence
    std::string space;      ///< "\n  "
  };

  std::vector<Gap> gaps;
  std::size_t words = 0;
  std::size_t sentences = 0;  ///< words that end one
};

/// Whether a byte is white space in HTML: a space, tab, line feed, form feed or carriage return.
[[nodiscard]] bool is_html_space(char c);

/// `text`, which neither begins nor ends with white space, with one space between words; fills in `spacing`.
[[nodiscard]] std::string take_spacing(std::string_view text, TextSpacing& spacing);

/// A translation with the white space of its source: behind the same sentence where both have as many, otherwise behind
/// as large a share of the words. All of it stands in the result, in its order.
[[nodiscard]] std::string apply_spacing(std::string_view translation, const TextSpacing& spacing);

}  // namespace translate
