#pragma once

#include <cstdint>

#include "core/processor.h"
#include "kernels/matrix/matrix_rows.h"

namespace translate {

/// Panels of a right factor (see PackedMatrix), side by side.
struct Panels {
  const float* first;
  std::int64_t count;
  std::int64_t to_next;  ///< distance to the next panel
  std::int64_t step;     ///< distance to a panel's next term
};

/// The initial values of the sums of a product: the bias, the output's previous values, or zero.
struct Start {
  const float* bias = nullptr;  ///< if not null, one value per column
  bool add = false;             ///< if true, the output's previous values
};

/// The input and output of rows of exponentials, for one block of the depth of a projection to classes.
struct ExponentialTask {
  std::int64_t terms;  ///< number of terms in this block
  ConstRows left;      ///< features
  Panels right;        ///< classes
  const float* bias;   ///< one per class
  const float* shifts;
  float* lanes;   ///< partial sums, kSumLanes per row, to which exponentials are added
  bool is_first;  ///< whether this is the first block: the logits start from the bias
  bool is_last;   ///< whether this is the last block: the logits are complete, and exponentials are written
  Rows logits;    ///< partial logits between the blocks
  Rows rows;      ///< exponentials as terms of a left factor, whose depth runs over the classes
  float* panels;  ///< exponentials as panels of a right factor, whose depth runs over the rows: at the first row's term
  std::int64_t to_next_panel;
};
inline constexpr std::int64_t kSumLanes = 16;

/// The inner loops of the matrix kernels, over tiles of sums that stay in registers. Each sum adds its terms in the
/// order of the depth, whatever the tile, so that all sets of vector loops give the same results in single precision;
/// plain loops round after each product, where the processor cannot multiply and add at once.
struct TileLoops {
  /// out (rows, 16 for each panel) = start + a b, with a depth of `terms`.
  void (*multiply)(std::int64_t rows, std::int64_t terms, const Strided& a, const Panels& b, const Rows& out,
                   const Start& start);
  /// out += a b, where row i of a is the column of a right factor that begins at a[i]. Every a[4 i] points to a column
  /// whose index in its panel is a multiple of four, and the next three columns follow it.
  void (*multiply_columns)(std::int64_t rows, std::int64_t terms, const float* const* a, const Panels& b,
                           const Rows& out);
  /// Computes `rows` rows of exponentials; in bf16 the first row has an even index.
  void (*exponentiate)(std::int64_t rows, const ExponentialTask& task);
};

/// Returns loops in plain C++, for every processor; on ARM64 they multiply and add at once, and multiply bf16 by the
/// processor's instructions if has_bf16_kernels().
[[nodiscard]] const TileLoops& plain_tile_loops(FactorType type);

/// Returns loops over tiles of 6 x 16 in single precision; requires has_avx2_kernels().
[[nodiscard]] const TileLoops& avx2_tile_loops();

/// Returns loops over tiles of 12 x 32 in single precision; requires has_avx512_kernels().
[[nodiscard]] const TileLoops& avx512_tile_loops();

/// Returns the same in bf16; requires has_bf16_kernels().
[[nodiscard]] const TileLoops& bf16_tile_loops();

/// Returns the loops for factors of this type that suit this processor.
[[nodiscard]] inline const TileLoops& tile_loops(FactorType type) {
  if (type == FactorType::kBfloat16) {
    return has_avx512_kernels() && has_bf16_kernels() ? bf16_tile_loops() : plain_tile_loops(type);
  }
  if (has_avx512_kernels()) {
    return avx512_tile_loops();
  }
  return has_avx2_kernels() ? avx2_tile_loops() : plain_tile_loops(type);
}

}  // namespace translate
