#pragma once

#include <cstdint>

#include "kernels/matrix/matrix_rows.h"

namespace translate {

inline constexpr std::int64_t kTermBytes = 4;  ///< values of a term (see ByteMatrix)

/// The factors of a product of bytes. Columns, scales, sums and bias start at the first column of the range. With byte
/// q of step s from the smallest value l, and weights w of scale c, a product is the sum of (l + s q) c w = c (s sum(q
/// w) + l sum(w)).
struct ByteTask {
  std::int64_t terms;
  const std::uint8_t* a;
  std::int64_t a_stride;
  const float* a_least;
  const float* a_steps;
  const std::int8_t* panels;
  const float* scales;
  const float* sums;
  const float* bias;  ///< null: none
};

/// out (rows, 16 for each panel) = a b + bias, with the vectors of ARM64; requires has_neon_kernels(). The sums of
/// bytes are those of plain arithmetic, whatever the instructions.
void multiply_panels_neon(std::int64_t rows, std::int64_t panels, const ByteTask& task, const Rows& out);

}  // namespace translate
