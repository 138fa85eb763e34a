#include "translate/kernels/matrix_product.h"

#include <algorithm>
#include <array>

#include "translate/kernels/tile.h"
#include "translate/kernels/whole_panel.h"

namespace translate {
namespace {

/// How a tile's sums begin.
struct Start {
  const float* bias = nullptr;  ///< with these, one a column,
  bool add = false;             ///< or with what the output holds, or with zero
};

#if TRANSLATE_HAS_AVX2_CODE

template <int kRows>
TRANSLATE_TILE void begin(const Rows& out, const Start& start, tile::Sums<kRows>& sums) {
  if (start.bias != nullptr) {
    tile::load(start.bias, 0, sums);
  } else if (start.add) {
    tile::load(out.data, out.stride, sums);
  } else {
    tile::clear(sums);
  }
}

/// One tile: out (kRows, 16) = start + a b.
template <int kRows>
TRANSLATE_TILE void multiply_tile(std::int64_t depth, const Strided& a, const float* b, std::int64_t b_stride,
                                  const Rows& out, const Start& start) {
  tile::Sums<kRows> sums;
  begin(out, start, sums);
  tile::accumulate(depth, a.data, a.row, a.depth, b, b_stride, sums);
  tile::store(sums, out.data, out.stride);
}

/// One tile of a product with the transpose of a left factor in panels: `a` has its columns at this depth.
template <int kRows>
TRANSLATE_TILE void multiply_columns_tile(std::int64_t depth, const float* const* a, const float* panel,
                                          const Rows& out) {
  tile::Sums<kRows> sums;
  tile::load(out.data, out.stride, sums);
  tile::accumulate_columns(depth, a, panel, sums);
  tile::store(sums, out.data, out.stride);
}

/// A tile of any height.
TRANSLATE_AVX2 void part_tile(std::int64_t rows, std::int64_t depth, const Strided& a, const float* b,
                              std::int64_t b_stride, const Rows& out, const Start& start) {
  TRANSLATE_WITH_ROWS(rows, multiply_tile, depth, a, b, b_stride, out, start);
}
TRANSLATE_AVX2
void part_columns_tile(std::int64_t rows, std::int64_t depth, const float* const* a, const float* panel,
                       const Rows& out) {
  TRANSLATE_WITH_ROWS(rows, multiply_columns_tile, depth, a, panel, out);
}

/// Tiles below one another: out (rows, 16) = start + a b. The loop stands here, so that nothing is called for a tile.
TRANSLATE_AVX2 void multiply_tiles(std::int64_t rows, std::int64_t depth, const Strided& a, const float* panel,
                                   const Rows& out, const Start& start) {
  std::int64_t row = 0;
  for (; row + kTileRows <= rows; row += kTileRows) {
    multiply_tile<kTileRows>(depth, {a.data + row * a.row, a.row, a.depth}, panel, kPanelWidth,
                             {out.data + row * out.stride, out.stride}, start);
  }
  if (row < rows) {
    part_tile(rows - row, depth, {a.data + row * a.row, a.row, a.depth}, panel, kPanelWidth,
              {out.data + row * out.stride, out.stride}, start);
  }
}
TRANSLATE_AVX2 void multiply_columns_tiles(std::int64_t rows, std::int64_t depth, const float* const* a,
                                           const float* panel, const Rows& out) {
  std::int64_t row = 0;
  for (; row + kTileRows <= rows; row += kTileRows) {
    multiply_columns_tile<kTileRows>(depth, a + row, panel, {out.data + row * out.stride, out.stride});
  }
  if (row < rows) {
    part_columns_tile(rows - row, depth, a + row, panel, {out.data + row * out.stride, out.stride});
  }
}

#else

void part_tile(std::int64_t, std::int64_t, const Strided&, const float*, std::int64_t, const Rows&, const Start&) {}
void multiply_tiles(std::int64_t, std::int64_t, const Strided&, const float*, const Rows&, const Start&) {}
void multiply_columns_tiles(std::int64_t, std::int64_t, const float* const*, const float*, const Rows&) {}

#endif

/// out (rows, columns of one panel) from a block of depths.
void multiply_panel(std::int64_t rows, std::int64_t columns, std::int64_t depth, const Strided& a, const float* panel,
                    const Rows& out, const Start& start) {
  std::array<float, kPanelWidth> whole_bias{};
  Start from = start;
  if (start.bias != nullptr && columns < kPanelWidth) {
    std::copy_n(start.bias, columns, whole_bias.data());
    from.bias = whole_bias.data();
  }
  in_whole_panel(rows, columns, out, start.add,
                 [&](const Rows& to) { multiply_tiles(rows, depth, a, panel, to, from); });
}

}  // namespace

void multiply(std::int64_t rows, const ConstRows& a, const PackedMatrix& b, const Rows& out, Into into,
              const float* bias) {
  multiply_columns(rows, a, b, {0, b.columns()}, out, into, bias);
}

void multiply_columns(std::int64_t rows, const ConstRows& a, const PackedMatrix& b, const ColumnRange& columns,
                      const Rows& out, Into into, const float* bias) {
  // So many rows that they stay in the first-level cache, beside a panel, while the panels go by.
  constexpr std::int64_t kLeftValues = 6144;
  const auto step = kLeftValues / std::clamp<std::int64_t>(b.depth(), 64, kDepthBlock) / kTileRows * kTileRows;
  for (std::int64_t row = 0; row < rows; row += step) {
    const auto count = std::min(step, rows - row);
    for (std::int64_t block = 0; block < b.depth(); block += kDepthBlock) {
      const bool first = block == 0;
      const bool with_bias = first && into == Into::kOverwrite && bias != nullptr;
      for (auto column = columns.begin; column < columns.end; column += kPanelWidth) {
        multiply_panel(count, std::min(kPanelWidth, columns.end - column), b.block_depth(block),
                       {a.data + row * a.stride + block, a.stride, 1}, b.panel(block, column),
                       {out.data + row * out.stride + column, out.stride},
                       {.bias = with_bias ? bias + column : nullptr, .add = !first || into == Into::kAdd});
      }
    }
  }
}

void multiply_transposed(const PackedMatrix& a, const PackedMatrix& b, const Part& part, const Rows& out) {
  for (std::int64_t block = 0; block < b.depth(); block += kDepthBlock) {
    for (auto first = part.row_begin; first < part.row_end; first += kPanelRowsAtATime) {
      const auto rows = std::min(kPanelRowsAtATime, part.row_end - first);
      std::array<const float*, kPanelRowsAtATime> left{};
      for (std::int64_t i = 0; i < rows; ++i) {
        left[static_cast<std::size_t>(i)] = a.column(block, first + i);
      }
      for (auto column = part.column_begin; column < part.column_end; column += kPanelWidth) {
        const Rows at{out.data + (first - part.row_begin) * out.stride + column - part.column_begin, out.stride};
        in_whole_panel(rows, std::min(kPanelWidth, part.column_end - column), at, /*keep=*/true, [&](const Rows& to) {
          multiply_columns_tiles(rows, b.block_depth(block), left.data(), b.panel(block, column), to);
        });
      }
    }
  }
}

void multiply_small(const ProductShape& shape, const Strided& a, const Strided& b, const Rows& out) {
  // Tiles of much the same height: one of a row or two would take nearly as long as a whole one.
  const auto tiles = (shape.rows + kTileRows - 1) / kTileRows;
  for (std::int64_t column = 0; column < shape.columns; column += kPanelWidth) {
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      const auto row = shape.rows * tile / tiles;
      part_tile(shape.rows * (tile + 1) / tiles - row, shape.depth, {a.data + row * a.row, a.row, a.depth},
                b.data + column / kPanelWidth * b.row, b.depth, {out.data + row * out.stride + column, out.stride}, {});
    }
  }
}

}  // namespace translate
