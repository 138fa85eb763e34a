#pragma once

#include "kernels/matrix/tile_loops.h"

namespace translate {

/// Returns loops over tiles of 6 x 16 in single precision; requires has_vector_kernels().
[[nodiscard]] const TileLoops& avx2_tile_loops();

}  // namespace translate
