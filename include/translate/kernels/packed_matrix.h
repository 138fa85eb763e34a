#pragma once

#include <cstdint>

#include "translate/kernels/float_buffer.h"

namespace translate {

inline constexpr std::int64_t kPanelWidth = 16;   ///< columns of a panel
inline constexpr std::int64_t kDepthBlock = 256;  ///< a panel of this depth stays in the first-level cache

/// `n` rounded up to whole panels.
[[nodiscard]] constexpr std::int64_t whole_panels(std::int64_t n) {
  return (n + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
}

/// Rows of floats, `stride` apart.
struct ConstRows {
  const float* data;
  std::int64_t stride;
};
struct Rows {
  float* data;
  std::int64_t stride;
};

/// The right-hand factor of products, depth x columns, in the order in which they read it: blocks of kDepthBlock rows,
/// in each of them panels of kPanelWidth columns, the last one filled up with zeros.
class PackedMatrix {
 public:
  /// Makes room; the values are then anything.
  void resize(std::int64_t depth, std::int64_t columns);

  /// Takes columns [first, first + count) from a matrix that holds them as rows: column first + i is row i of `rows`
  /// (a weight of torch::nn::Linear, (out, in), used as x W^T). `first` must be a multiple of kPanelWidth.
  void set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count);
  /// Takes `count` rows of the factor, from row `first` on.
  void set_rows(std::int64_t first, std::int64_t count, const ConstRows& rows);

  [[nodiscard]] std::int64_t depth() const { return depth_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  /// The panel with column `column` in the block of depths that starts at `block`, a multiple of kDepthBlock.
  [[nodiscard]] float* panel(std::int64_t block, std::int64_t column) const;
  /// The first of the values of one column in that block; they lie kPanelWidth apart.
  [[nodiscard]] float* column(std::int64_t block, std::int64_t index) const {
    return panel(block, index / kPanelWidth * kPanelWidth) + index % kPanelWidth;
  }
  /// Rows in the block of depths that starts at `block`.
  [[nodiscard]] std::int64_t block_depth(std::int64_t block) const;

 private:
  std::int64_t depth_ = 0;
  std::int64_t columns_ = 0;
  FloatBuffer values_;
};

/// `weight` (out, in), `stride` floats a row, as the right-hand factor of x W^T; on all threads.
void pack_transposed(const ConstRows& weight, std::int64_t out, std::int64_t in, PackedMatrix& packed);
/// `weight` (depth, columns) as the right-hand factor of y W; on all threads.
void pack(const ConstRows& weight, std::int64_t depth, std::int64_t columns, PackedMatrix& packed);

/// Writes `count` rows (at most kPanelWidth) of `width` floats as one panel: out[i * 16 + r] = rows[r][i], zero for
/// r >= count.
void transpose_to_panel(const ConstRows& rows, std::int64_t count, std::int64_t width, float* out);

}  // namespace translate
