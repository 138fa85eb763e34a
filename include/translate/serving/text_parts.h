#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

enum class TextFormat { kText, kHtml };

/// A text as what is translated, each part on its own, and what stays as it is around the parts.
struct TextParts {
  std::vector<std::string> texts;
  std::vector<std::string> between;  ///< before the first text, between each and the next, after the last: one more
};

/// A plain text: its lines. Line ends ("\n" or "\r\n") and blank lines stay.
[[nodiscard]] TextParts split_plain_text(std::string_view text);

/// HTML: the texts between tags, character references decoded, white space inside as one space each. Tags, attributes,
/// comments and white space around the texts stay, and so does what no one speaks: the content of script, style, code,
/// pre, kbd, samp, var and of elements with translate="no". A sentence that tags divide is translated piece by piece.
/// Never fails: markup that is not closed goes to the end of the text.
[[nodiscard]] TextParts split_html(std::string_view html);

/// Puts the translations in the places of `parts.texts` (as many); in HTML with &, < and > as character references.
[[nodiscard]] std::string join_parts(const TextParts& parts, std::span<const std::string> translations,
                                     TextFormat format);

}  // namespace translate
