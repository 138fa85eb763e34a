#pragma once

#include "kernels/matrix/tile_loops.h"

namespace translate {

/// Returns loops over tiles of 12 x 32 in single precision; requires has_avx512_kernels().
[[nodiscard]] const TileLoops& avx512_tile_loops();

/// Returns the same in bf16; requires has_bf16_kernels().
[[nodiscard]] const TileLoops& bf16_tile_loops();

}  // namespace translate
