#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace translate {

/// HTML whose tree is too large for its length.
class HtmlTooDeep : public DataError {
 public:
  HtmlTooDeep() : DataError("the HTML cannot be parsed: too many elements are open at once") {}
};

/// The bytes of an HTML text that hold words to translate, or words that are marked as untranslatable. They may contain
/// tags that the parser ignored.
struct HtmlText {
  std::size_t begin;
  std::size_t end;
  bool translated;  ///< not the content of <code>, of an element with translate="no", ...
  bool has_tags;    ///< tags in it are tags (unlike in <title> and <textarea>)
};

/// Returns the texts of a document or a fragment, in the order of their bytes, without overlap. They are parsed as
/// browsers do it: there is no invalid HTML. Content that no one reads has no text: markup, comments, scripts, style
/// sheets, formulas. Throws HtmlTooDeep if the tree takes more memory than kHtmlMemory and a hundred times the text.
[[nodiscard]] std::vector<HtmlText> html_texts(std::string_view html);

constexpr std::size_t kHtmlMemory = 16UL * 1024 * 1024;  ///< bytes

/// Returns a text without markup as it is displayed: with its character references (&eacute;) decoded.
[[nodiscard]] std::string decode_html(std::string_view text);

}  // namespace translate
