#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads YAML: all strings that are values, whichever way they are written; keys, numbers, comments, anchors and layout
/// stay. A plain string whose translation would mean something else is put in quotes. Strings that mix line breaks of
/// the file with "\n" stay, and so do those with blank lines inside of quotes. Throws DataError with the line if it is
/// not YAML, or nested too deeply.
[[nodiscard]] std::unique_ptr<Document> read_yaml_strings(DocumentInput input);

}  // namespace translate::tools
