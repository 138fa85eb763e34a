#pragma once

#include <cstdint>

#include "translate/kernels/packed_matrix.h"

namespace translate {

/// Matrix products for one thread, in single precision, in the way of Goto and van de Geijn 2008 ("Anatomy of
/// high-performance matrix multiplication") and BLIS: the right-hand factor is laid out once in panels of 16 columns,
/// and tiles of 6 x 16 results (12 x 32 with AVX-512) stay in registers while the depth runs by. Whoever calls them
/// divides the rows among threads; a result does not depend on how, nor on the size of the tiles. Where the right-hand
/// factor is in bf16 the left one is rounded to it, too. Only where has_vector_kernels() holds.

inline constexpr std::int64_t kTileRows = 12;  ///< splits of rows at multiples of it waste nothing

/// What a product does with what its output held.
enum class Into { kOverwrite, kAdd };

/// out (rows, b.columns) = a (rows, b.depth) b + bias, or += a b. `bias`: one value a column, or null.
void multiply(std::int64_t rows, const ConstRows& a, const PackedMatrix& b, const Rows& out, Into into,
              const float* bias = nullptr);

/// Columns [begin, end) of a right factor: whole panels, but for its last.
struct ColumnRange {
  std::int64_t begin;
  std::int64_t end;
};

/// The same for some of the columns: `out` and `bias` are those of column 0, and nothing else of them is touched.
void multiply_columns(std::int64_t rows, const ConstRows& a, const PackedMatrix& b, const ColumnRange& columns,
                      const Rows& out, Into into, const float* bias = nullptr);

/// Rows and columns of a matrix: [begin, end) of each, whole panels but for the last.
struct Part {
  std::int64_t row_begin;
  std::int64_t row_end;
  std::int64_t column_begin;
  std::int64_t column_end;
};

/// That part of a^T b (columns of a, b.columns) is added to `out`, which starts at the part's first row and column: a
/// weight's gradient from that of its output and its input. Both have the same depth and the same FactorType.
void multiply_transposed(const PackedMatrix& a, const PackedMatrix& b, const Part& part, const Rows& out);

/// rows x columns x depth of a product.
struct ProductShape {
  std::int64_t rows;
  std::int64_t columns;  ///< a multiple of kPanelWidth: the right factor and the output hold whole panels
  std::int64_t depth;
};

/// out = a b for matrices in single precision that fit the cache, without packing.
void multiply_small(const ProductShape& shape, const Strided& a, const Strided& b, const Rows& out);

}  // namespace translate
