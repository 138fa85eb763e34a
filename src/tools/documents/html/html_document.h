#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads a page: the texts of its paragraphs, cells, headings and list items, with the inline tags as marks, and those
/// of the attributes alt, title, placeholder and aria-label, and of the content of <meta name="description">. The
/// attributes lang and dir of <html> follow the target language. Throws DataError if the tree is too large.
[[nodiscard]] std::unique_ptr<Document> read_html_document(DocumentInput input);

}  // namespace translate::tools
