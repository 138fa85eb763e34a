#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "translate/data/encoded_corpus.h"

namespace translate {

/// What the pairs of a chunk add up to.
struct ChunkTotals {
  std::int64_t source_pieces = 0;
  std::int64_t target_pieces = 0;
  std::int64_t longest_source = 0;  ///< pieces
  std::int64_t longest_target = 0;
};

/// Checks the bytes of a chunk: its checksum, that bounds and the begins of texts rise from 0 to the chunk's counts,
/// that ids are below the vocabularies' sizes and its corpus is one of `limits`. Throws RuntimeError saying what is
/// wrong.
[[nodiscard]] ChunkTotals check_chunk(std::string_view bytes, const CorpusChunk& chunk, const CorpusLimits& limits);

/// Throws RuntimeError where the chunks together are not what the statistics say.
void check_totals(std::span<const ChunkTotals> chunks, const CorpusStatistics& statistics);

}  // namespace translate
