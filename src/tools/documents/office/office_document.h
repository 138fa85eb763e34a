#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads a text of OpenDocument (.odt): paragraphs and headings of the text, of tables, headers and footers. Spans and
/// links come back by alignment; notes, frames and fields stay. Throws DataError if it is not such an archive.
[[nodiscard]] std::unique_ptr<Document> read_odt(DocumentInput input);

/// Reads a document of Word (.docx): paragraphs of the text, of tables, headers, footers and notes. Words in a format
/// of their own and links come back by alignment; text boxes, fields, images and deleted text stay. Throws DataError if
/// it is not such an archive.
[[nodiscard]] std::unique_ptr<Document> read_docx(DocumentInput input);

}  // namespace translate::tools
