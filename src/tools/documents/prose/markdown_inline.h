#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "documents/decoded_string.h"
#include "documents/inline_tokens.h"

namespace translate::tools {

/// Returns the tokens of a text of Markdown: emphasis, links and images as elements, code, automatic links and notes as
/// things that stand alone. `text` is without the prefixes of its lines. `references`: the labels that are defined, in
/// small letters.
[[nodiscard]] std::vector<InlineToken> markdown_tokens(const DecodedString& text,
                                                       const std::set<std::string>& references);

/// Returns a text so that Markdown reads it as this text: with backslashes where it would be markup.
[[nodiscard]] std::string escape_markdown(std::string_view text);

/// The same for a cell of a table.
[[nodiscard]] std::string escape_markdown_cell(std::string_view text);

/// Returns a paragraph with a backslash where its beginning would be read as that of a list, a heading or a quotation.
[[nodiscard]] std::string escape_markdown_start(std::string paragraph);

}  // namespace translate::tools
