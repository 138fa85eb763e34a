#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "text/alignment_point.h"

namespace translate {

/// For each word of a sentence, the position of the word of the other one that it is linked to, or kNoWord.
inline constexpr std::int32_t kNoWord = -1;

/// Joins the links of both directions by grow-diag-final-and (Koehn, Och and Marcu 2003; Koehn et al. 2005): begins
/// with the links that both have; adds, as long as there are any, links of either that are neighbours of a present one,
/// diagonals included, and give a word its first link; then adds the remaining links of either whose two words have
/// none, those of `source_of_target` first. `source_of_target` has a position for each target word,
/// `target_of_source` one for each source word. Takes time and memory in proportion to the product of the lengths.
[[nodiscard]] Alignment grow_diag_final_and(std::span<const std::int32_t> source_of_target,
                                            std::span<const std::int32_t> target_of_source);

}  // namespace translate
