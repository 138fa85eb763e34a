#pragma once

#include <cstdint>

#include "kernels/matrix/matrix_rows.h"

namespace translate {

/// Panels of a right factor (see PackedMatrix), side by side.
struct Panels {
  const float* first;
  std::int64_t count;
  std::int64_t to_next;  ///< panel
  std::int64_t step;     ///< to a panel's next term
};

/// How the sums of a product begin.
struct Start {
  const float* bias = nullptr;  ///< with these, one a column,
  bool add = false;             ///< or with what the output holds, or with zero
};

/// What rows of exponentials are made with: a block of the depth of a projection to classes.
struct ExponentialTask {
  std::int64_t terms;  ///< of this block
  ConstRows left;      ///< of features
  Panels right;        ///< classes
  const float* bias;   ///< one a class
  const float* shifts;
  float* lanes;   ///< partial sums, kSumLanes a row, to which the exponentials are added
  bool is_first;  ///< block: the logits start from the bias
  bool is_last;   ///< block: the logits are complete, and exponentials are written
  Rows logits;    ///< between the blocks
  Rows rows;      ///< exponentials as terms of a left factor, whose depth are the classes
  float* panels;  ///< exponentials as panels of a right factor, whose depth are the rows: at the first row's term
  std::int64_t to_next_panel;
};
inline constexpr std::int64_t kSumLanes = 16;

/// The inner loops of the matrix kernels, over tiles of sums that stay in registers. Every sum has its terms added in
/// the order of the depth, whatever the tile, so that all sets of loops give the same results in single precision.
struct TileLoops {
  /// out (rows, 16 for each panel) = start + a b, `terms` deep.
  void (*multiply)(std::int64_t rows, std::int64_t terms, const Strided& a, const Panels& b, const Rows& out,
                   const Start& start);
  /// out += a b, where a's row i is the column of a right factor that begins at a[i]. Columns that have the number of a
  /// multiple of four in their panel stand at every a[4 i].
  void (*multiply_columns)(std::int64_t rows, std::int64_t terms, const float* const* a, const Panels& b,
                           const Rows& out);
  /// `rows` rows of exponentials, in bf16 from a row of even number on.
  void (*exponentiate)(std::int64_t rows, const ExponentialTask& task);
};

/// The loops for factors of this kind that suit this processor.
[[nodiscard]] const TileLoops& tile_loops(FactorType type);

}  // namespace translate
