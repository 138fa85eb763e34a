#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.h"
#include "documents/text_parts.h"
#include "segments/document_formats.h"

namespace translate::tools {

/// HTML whose tree takes too much memory or time for its length.
class HtmlTooDeep : public DataError {
 public:
  HtmlTooDeep()
      : DataError("the HTML cannot be parsed: too many elements are open at once, or a tag has too many attributes") {}
};

constexpr std::size_t kHtmlMemory = 16UL * 1024 * 1024;       ///< bytes
constexpr std::size_t kMostHtmlMemory = 256UL * 1024 * 1024;  ///< bytes

/// Splits HTML into the texts between tags, with character references decoded and one space between words. Everything
/// else stays as it is, byte for byte: tags, attributes, comments, white space around and (see TextSpacing) inside the
/// texts, and untranslatable content: of script, style, iframe, math, and of code, pre, kbd, samp, var and elements
/// with translate="no", except inside translate="yes"; and of editable regions, unless they are to be translated. A
/// sentence that tags divide is translated part by part. Throws HtmlTooDeep if the tree takes more than html_limits.
[[nodiscard]] TextParts split_html(std::string_view html, EditableRegions editable = EditableRegions::kStay);

/// Returns a text without markup as it is displayed: with its character references (&eacute;) decoded. Throws
/// HtmlTooDeep.
[[nodiscard]] std::string decode_html(std::string_view given);

/// Returns text as HTML displays it: with &, < and > as character references.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace translate::tools
