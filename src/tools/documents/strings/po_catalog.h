#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads a gettext catalogue (PO or POT): each empty msgstr gets the translation of its msgid, those of plural forms of
/// msgid (form 0) and msgid_plural (the others), and the entry the flag "fuzzy", so that msgfmt leaves it out until
/// somebody has looked at it. Everything else stays. Throws DataError with the line if it is no catalogue.
[[nodiscard]] std::unique_ptr<Document> read_po_catalog(DocumentInput input);

}  // namespace translate::tools
