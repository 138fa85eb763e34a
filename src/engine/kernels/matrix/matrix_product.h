#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/matrix/packed_matrix.h"

namespace translate {

/// Matrix products on one thread, in single precision, as in Goto and van de Geijn 2008 ("Anatomy of high-performance
/// matrix multiplication") and BLIS: the right-hand factor is packed once into panels of 16 columns, and tiles of 6 x
/// 16 results (12 x 32 with AVX-512) stay in registers while the loop runs over the depth. The caller divides the rows
/// among threads; a result depends neither on this division nor on the size of the tiles. If the right-hand factor is
/// in bf16, the left one is rounded to it, too.

inline constexpr std::int64_t kTileRows = 12;  ///< divisions of rows at multiples of this waste nothing

/// out (rows, b.columns) = a (rows, b.depth) b + bias. `bias`: one value per column, or null.
void multiply(std::int64_t rows, const ConstRows& a, const PackedMatrix& b, const Rows& out,
              const float* bias = nullptr);

/// Columns [begin, end) of a right factor: whole panels, except for the last one.
struct ColumnRange {
  std::int64_t begin;
  std::int64_t end;
};

/// The same for some of the columns: `out` and `bias` point to column 0, and their other columns are not touched.
void multiply_columns(std::int64_t rows, const ConstRows& a, const PackedMatrix& b, const ColumnRange& columns,
                      const Rows& out, const float* bias = nullptr);

/// Rows and columns of a matrix: [begin, end) of each, whole panels except for the last one.
struct MatrixBlock {
  std::int64_t row_begin;
  std::int64_t row_end;
  std::int64_t column_begin;
  std::int64_t column_end;
};

/// Adds a part of a^T b (columns of a, b.columns) to `out`, which starts at the part's first row and column: the
/// gradient of a weight, from the gradient of its layer's output and the layer's input. Both factors have the same
/// depth and the same FactorType.
void multiply_transposed(const PackedMatrix& a, const PackedMatrix& b, const MatrixBlock& part, const Rows& out);

/// rows x columns x depth of a product.
struct ProductShape {
  std::int64_t rows;
  std::int64_t columns;  ///< a multiple of kPanelWidth: the right factor and the output hold whole panels
  std::int64_t depth;
};

/// out = a b for matrices in single precision that fit the cache, without packing.
void multiply_small(const ProductShape& shape, const Strided& a, const Strided& b, const Rows& out);

/// Rows divided into tiles of nearly equal height, at most `height`, because a tile of one or two rows would take
/// nearly as long as a whole one.
class EvenTiles {
 public:
  EvenTiles(std::int64_t rows, std::int64_t height) : rows_(rows), count_((rows + height - 1) / height) {}

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// The first row of a tile. begin(count()) is the end of the last tile.
  [[nodiscard]] std::int64_t begin(std::int64_t tile) const { return rows_ * tile / count_; }

 private:
  std::int64_t rows_;
  std::int64_t count_;
};

inline constexpr std::int64_t kPanelRowsAtATime = 8 * kTileRows;  ///< for an output with only some columns of a panel

/// Lets `compute` write whole panels of an output that has only `columns` columns of the panel and `rows` rows (at most
/// kPanelRowsAtATime). If `keep`, `compute` finds the previous values there.
template <class Compute>
void in_whole_panel(std::int64_t rows, std::int64_t columns, const Rows& out, bool keep, const Compute& compute) {
  if (columns == kPanelWidth) {
    return compute(out);
  }
  std::array<float, kPanelRowsAtATime * kPanelWidth> results{};
  for (std::int64_t i = 0; keep && i < rows; ++i) {
    std::copy_n(out.data + i * out.stride, columns, results.data() + i * kPanelWidth);
  }
  compute(Rows{results.data(), kPanelWidth});
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(results.data() + i * kPanelWidth, columns, out.data + i * out.stride);
  }
}

}  // namespace translate
