#pragma once

#include <memory>

#include "corpora/corpus_reader.h"
#include "pairs/pair_source.h"

namespace translate {

/// The pairs of two texts: line N of one is the translation of line N of the other. `next` throws DataError if one has
/// more lines, too.
[[nodiscard]] std::unique_ptr<PairSource> line_pairs(LineReader source, LineReader target);

}  // namespace translate
