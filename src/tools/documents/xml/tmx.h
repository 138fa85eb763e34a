#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads a translation memory: units with a text in the source language and none in the target language get one. Inline
/// codes come back by alignment. Throws DataError if it is not TMX, or a language is not known.
[[nodiscard]] std::unique_ptr<Document> read_tmx(DocumentInput input);

}  // namespace translate::tools
