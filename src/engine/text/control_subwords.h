#pragma once

#include <cstdint>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// Returns the subwords whose text has a control character below U+0020, such as a line feed: bytes of byte fallback,
/// and others in a vocabulary of text that was not normalised. Reads the whole vocabulary.
[[nodiscard]] std::vector<std::int64_t> control_subwords(const Tokenizer& tokenizer);

}  // namespace translate
