#pragma once

#include "kernels/matrix/tile_loops.h"

namespace translate {

/// Loops over tiles of 6 x 16 in single precision; only where has_vector_kernels() holds.
[[nodiscard]] const TileLoops& avx2_tile_loops();

}  // namespace translate
