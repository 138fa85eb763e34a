#pragma once

#include <vector>

#include "decoding/translation.h"
#include "segments/document.h"

namespace translate {

/// Returns the texts of a document as lines to translate. Those with mark-up inside are aligned.
[[nodiscard]] std::vector<SourceLine> lines_of(const Document& document);

}  // namespace translate
