#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads Markdown: headings, paragraphs, list items, quotations and cells of tables are translated. Emphasis, links,
/// images (their alternative texts are translated), code and tags inside come back by alignment. Code blocks, HTML
/// blocks, front matter, definitions of references, rulers, and all markers and line prefixes stay. It is a subset of
/// CommonMark with the tables and strikethrough of GitHub; what it does not know is text.
[[nodiscard]] std::unique_ptr<Document> read_markdown(DocumentInput input);

}  // namespace translate::tools
