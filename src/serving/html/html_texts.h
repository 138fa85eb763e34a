#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace translate {

/// HTML whose tree is out of proportion to its length.
class HtmlTooDeep : public DataError {
 public:
  HtmlTooDeep() : DataError("the HTML cannot be parsed: too many elements are open at once") {}
};

/// Bytes of an HTML text that hold words to translate, or that would if they were not marked as untranslatable. They
/// may hold tags, which the parser ignored.
struct HtmlText {
  std::size_t begin;
  std::size_t end;
  bool translated;  ///< not the content of <code>, of an element with translate="no", ...
  bool has_tags;    ///< what looks like a tag in it is one (not in <title> and <textarea>)
};

/// The texts of a document or a part of one, in the order of their bytes, none in another. Read as browsers read it:
/// there is no wrong HTML. Nothing stands for what no one reads: markup, comments, scripts, style sheets, formulas.
/// Throws HtmlTooDeep where the tree takes more memory than kHtmlMemory and a hundred times the text.
[[nodiscard]] std::vector<HtmlText> html_texts(std::string_view html);

constexpr std::size_t kHtmlMemory = 16UL * 1024 * 1024;  ///< bytes

/// A text without markup as it is read: with its character references (&eacute;) decoded.
[[nodiscard]] std::string decode_html(std::string_view text);

}  // namespace translate
