#pragma once

#include <cstdint>

#include "translate/kernels/float_buffer.h"

namespace translate {

/// Matrix products for one thread, in single precision, in the way of Goto and van de Geijn 2008 ("Anatomy of
/// high-performance matrix multiplication") and BLIS: the right-hand factor is laid out once in panels of 16 columns,
/// and tiles of 6 x 16 results stay in registers while the depth runs by. Whoever calls them divides the rows among
/// threads; a result does not depend on how. Only where has_vector_kernels() holds.

inline constexpr std::int64_t kPanelWidth = 16;   ///< columns of a panel
inline constexpr std::int64_t kTileRows = 6;      ///< rows of a tile: splits of rows at multiples of it waste nothing
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
  /// Takes row `depth_index` of the factor.
  void set_row(std::int64_t depth_index, const float* row);

  [[nodiscard]] std::int64_t depth() const { return depth_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  /// The panel with column `column` in the block of depths that starts at `block`, a multiple of kDepthBlock.
  [[nodiscard]] float* panel(std::int64_t block, std::int64_t column) const;
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

/// What a product does with what its output held.
enum class Into { kOverwrite, kAdd };

/// out (rows, b.columns) = a (rows, b.depth) b + bias, or += a b. `bias`: one value a column, or null.
void multiply(std::int64_t rows, const ConstRows& a, const PackedMatrix& b, const Rows& out, Into into,
              const float* bias = nullptr);

/// Rows [begin, end) of out (columns of a, b.columns) += a^T b, where a has b.depth rows: a weight's gradient from that
/// of its output and its input.
void multiply_transposed(const ConstRows& a, std::int64_t begin, std::int64_t end, const PackedMatrix& b,
                         const Rows& out);

/// A factor of a small product with any distance between neighbours both ways.
struct Strided {
  const float* data;
  std::int64_t row;    ///< left factor: to the next row of the product; right factor: to the next panel
  std::int64_t depth;  ///< to the next term of the sums
};

/// rows x columns x depth of a product.
struct ProductShape {
  std::int64_t rows;
  std::int64_t columns;  ///< a multiple of kPanelWidth: the right factor and the output hold whole panels
  std::int64_t depth;
};

/// out = a b for matrices that fit the cache, without packing.
void multiply_small(const ProductShape& shape, const Strided& a, const Strided& b, const Rows& out);

/// Writes `count` rows (at most kPanelWidth) of `width` floats as one panel: out[i * 16 + r] = rows[r][i], zero for
/// r >= count.
void transpose_to_panel(const ConstRows& rows, std::int64_t count, std::int64_t width, float* out);

}  // namespace translate
