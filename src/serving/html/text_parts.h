#pragma once

#include <cstddef>
#include <span>
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

enum class TextFormat { kText, kHtml };

/// A text as what is translated, each part on its own, and what stays as it is around the parts.
struct TextParts {
  std::vector<std::string> texts;
  std::vector<std::string> between;  ///< before the first text, between each and the next, after the last: one more
  std::vector<TextSpacing> spacing = {};  ///< of HTML: the white space inside each text
};

/// A plain text: its lines. Line ends ("\n" or "\r\n") and blank lines stay.
[[nodiscard]] TextParts split_plain_text(std::string_view text);

/// HTML: the texts between tags, with character references decoded and one space between words. Everything else stays
/// as it is, byte for byte: tags, attributes, comments, white space around and (see TextSpacing) inside the texts, and
/// what is not to be translated: the content of script, style, iframe, math, and of code, pre, kbd, samp, var and
/// elements with translate="no", as far as no translate="yes" is inside. A sentence that tags divide is translated
/// piece by piece. Throws HtmlTooDeep.
[[nodiscard]] TextParts split_html(std::string_view html);

/// Puts the translations in the places of `parts.texts` (as many); in HTML with the source's white space, and with &, <
/// and > as character references.
[[nodiscard]] std::string join_parts(const TextParts& parts, std::span<const std::string> translations,
                                     TextFormat format);

}  // namespace translate
