#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads JSON: all strings that are values, with keys, numbers and layout as they are. Values under keys that begin
/// with
/// "@" (notes in ARB files) stay, and of the messages of a web extension all but "message". Throws DataError with line
/// and column if it is not JSON.
[[nodiscard]] std::unique_ptr<Document> read_json_strings(DocumentInput input);

}  // namespace translate::tools
