#pragma once

#include <cstdint>

#include "tensors/unpadded_layout.h"

namespace translate::trainer {

/// The positions of a sentence that are never cut.
enum class KeptPositions : std::uint8_t {
  kFirst,         ///< the decoder's start token
  kFirstAndLast,  ///< the start and the end token of a source
};

/// Returns the sentences of two passes, `first` and `second`, which are as many, one after the other, for SimCut (Gao
/// et al. 2022): in the second pass each position loses its embedding (kCutId) with `probability`, independently of the
/// others. The choice is drawn from the CPU's default generator; from the same key, a slice of a batch loses what the
/// whole batch loses there.
[[nodiscard]] UnpaddedIds with_cut(const UnpaddedIds& first, const UnpaddedIds& second, double probability,
                                   KeptPositions kept);

}  // namespace translate::trainer
