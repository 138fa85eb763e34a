#pragma once

#include <string_view>

#include "documents/inline_tokens.h"
#include "documents/text_parts.h"

namespace translate::tools {

/// Joins the texts of `parts`, as split_html makes them, that only inline markup divides, so that a paragraph, a cell
/// or a list item is translated whole. The tags become marks of the joined text (TextParts::marks): an element of tags
/// that belong together covers its words; `<br>`, `<img>`, comments, tags without their counterparts, and elements that
/// are not translated such as `<code>` stand at a place. Everything stays, byte for byte; white space at the inner edge
/// of the first and the last tag becomes a part of it. Texts with more than kMostNested elements inside one another
/// stay apart.
[[nodiscard]] TextParts join_inline_texts(const TextParts& parts);

/// Returns the token of some markup: a tag, of either end, a comment or a declaration.
[[nodiscard]] InlineToken tag_token(std::string_view bytes);

}  // namespace translate::tools
