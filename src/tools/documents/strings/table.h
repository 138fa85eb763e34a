#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads a table (CSV with commas, semicolons or tabs, whichever the first line has most of; or TSV): the cells of
/// DocumentInput::columns are translated, and all others stay. A column that is named is one of a table whose first
/// line has names. Throws ConfigError if there is no such column or none is given, DataError with the line if a quoted
/// cell has no end.
[[nodiscard]] std::unique_ptr<Document> read_csv_table(DocumentInput input);
[[nodiscard]] std::unique_ptr<Document> read_tsv_table(DocumentInput input);

}  // namespace translate::tools
