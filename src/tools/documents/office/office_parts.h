#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads the XML of one entry of a text of OpenDocument.
[[nodiscard]] std::unique_ptr<Document> read_odt_entry(const DocumentInput& entry);

/// Reads the XML of one entry of a document of Word.
[[nodiscard]] std::unique_ptr<Document> read_docx_entry(const DocumentInput& entry);

}  // namespace translate::tools
