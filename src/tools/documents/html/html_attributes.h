#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "segments/document_formats.h"

namespace translate::tools {

/// The value of an attribute in an HTML text.
struct HtmlAttribute {
  std::size_t begin;  ///< the bytes of the value, its quotes included
  std::size_t end;
  std::string value;  ///< decoded
};

/// What of the tags of a page is translated or follows the language.
struct HtmlAttributes {
  std::vector<HtmlAttribute> texts;       ///< alt, title, placeholder, aria-label, the description; by their places
  std::vector<HtmlAttribute> languages;   ///< lang and xml:lang of <html>
  std::vector<HtmlAttribute> directions;  ///< dir of <html>
  std::size_t html_name_end = 0;          ///< the end of the name in the tag <html>; 0 if there is no such tag
};

/// Finds these attributes. Those of elements that are not translated have no texts; those of an editable region itself,
/// such as its label, belong to the page. Throws HtmlTooDeep.
[[nodiscard]] HtmlAttributes find_html_attributes(std::string_view html, EditableRegions editable);

}  // namespace translate::tools
