#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace translate::tools {

/// Whether a byte is white space in HTML: a space, tab, line feed, form feed or carriage return.
[[nodiscard]] bool is_html_space(char c);

/// Returns the length of the markup (a tag, a comment, a declaration) at the beginning of `text`, which begins with
/// '<'; 0 if that is an ordinary character ("2 < 3").
[[nodiscard]] std::size_t markup_length(std::string_view text);

/// Returns the name of the element whose tag, of either end, some markup is, in small letters; empty for a comment or a
/// declaration.
[[nodiscard]] std::string element_name(std::string_view markup);

}  // namespace translate::tools
