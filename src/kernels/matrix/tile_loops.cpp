#include "kernels/matrix/tile_loops.h"

#include "core/processor.h"
#include "kernels/matrix/tile_loops_avx2.h"
#include "kernels/matrix/tile_loops_avx512.h"

namespace translate {

const TileLoops& tile_loops(FactorType type) {
  if (type == FactorType::kBfloat16) {
    return bf16_tile_loops();
  }
  return has_avx512_kernels() ? avx512_tile_loops() : avx2_tile_loops();
}

}  // namespace translate
