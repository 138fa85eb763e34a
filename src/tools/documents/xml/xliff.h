#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads XLIFF 1.2 and 2.x: units without a target, with an empty one, or with one whose state says that it is still to
/// be translated, get one, marked as machine translation to be reviewed (1.2) or as translated (2.x). Inline elements
/// come back by alignment with their attributes; native code stays. Other units stay: approved, translated, reviewed,
/// final, translate="no". Throws DataError if it is not such XML.
[[nodiscard]] std::unique_ptr<Document> read_xliff(DocumentInput input);

}  // namespace translate::tools
