#pragma once

#include "kernels/matrix/tile_loops.h"

namespace translate {

/// Loops over tiles of 12 x 32 in single precision; only where has_avx512_kernels() holds.
[[nodiscard]] const TileLoops& avx512_tile_loops();

/// The same in bf16; only where has_bf16_kernels() holds.
[[nodiscard]] const TileLoops& bf16_tile_loops();

}  // namespace translate
