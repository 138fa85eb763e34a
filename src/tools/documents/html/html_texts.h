#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.h"
#include "documents/text_parts.h"

namespace translate::tools {

/// HTML whose tree is too large for its length.
class HtmlTooDeep : public DataError {
 public:
  HtmlTooDeep() : DataError("the HTML cannot be parsed: too many elements are open at once") {}
};

constexpr std::size_t kHtmlMemory = 16UL * 1024 * 1024;  ///< bytes

/// Splits HTML into the texts between tags, with character references decoded and one space between words. Everything
/// else stays as it is, byte for byte: tags, attributes, comments, white space around and (see TextSpacing) inside the
/// texts, and untranslatable content: of script, style, iframe, math, and of code, pre, kbd, samp, var and elements
/// with translate="no", except inside translate="yes". A sentence that tags divide is translated part by part. Throws
/// HtmlTooDeep if the tree takes more memory than kHtmlMemory and a hundred times the text.
[[nodiscard]] TextParts split_html(std::string_view html);

/// Returns a text without markup as it is displayed: with its character references (&eacute;) decoded. Throws
/// HtmlTooDeep.
[[nodiscard]] std::string decode_html(std::string_view given);

/// Returns text as HTML displays it: with &, < and > as character references.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace translate::tools
