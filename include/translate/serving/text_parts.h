#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "translate/serving/text_spacing.h"

namespace translate {

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
