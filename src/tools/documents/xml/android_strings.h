#pragma once

#include <memory>

#include "segments/document_formats.h"

namespace translate::tools {

/// Reads strings.xml of an Android app: <string>, and <item> of <string-array> and <plurals>. Tags inside come back by
/// alignment, <xliff:g> with its content; escapes of Android are undone and made again. Strings with
/// translatable="false", and values that are only a reference (@string/x, ?attr/x), stay. Throws DataError if it is not
/// such XML.
[[nodiscard]] std::unique_ptr<Document> read_android_strings(DocumentInput input);

}  // namespace translate::tools
