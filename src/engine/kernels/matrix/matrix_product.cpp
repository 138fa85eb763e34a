#include "kernels/matrix/matrix_product.h"

#include <algorithm>
#include <array>

#include "kernels/matrix/packed_matrix.h"
#include "kernels/matrix/tile_loops.h"

namespace translate {

namespace {

/// Returns the panels of `b` from `column` on, in the block of depths that starts at `block`.
Panels panels_of(const PackedMatrix& b, std::int64_t block, std::int64_t column) {
  return {b.panel(block, column), 0, b.to_next_panel(block), kPanelWidth};
}

/// The columns of a product in a block of depths: `columns` of them, in `panels`.
struct BlockColumns {
  std::int64_t columns;
  Panels panels;
};

/// out (rows, columns) = start + a b: first the whole panels, then the columns of the last one.
void multiply_block(const TileLoops& loops, std::int64_t rows, std::int64_t terms, const Strided& a,
                    const BlockColumns& b, const Rows& out, const Start& start) {
  auto whole = b.panels;
  whole.count = b.columns / kPanelWidth;
  if (whole.count > 0) {
    loops.multiply(rows, terms, a, whole, out, start);
  }
  const auto column = whole.count * kPanelWidth;
  if (column == b.columns) {
    return;
  }
  const Panels last{b.panels.first + whole.count * b.panels.to_next, 1, b.panels.to_next, b.panels.step};
  std::array<float, kPanelWidth> bias{};
  Start from = start;
  if (start.bias != nullptr) {
    std::copy_n(start.bias + column, b.columns - column, bias.data());
    from.bias = bias.data();
  }
  in_whole_panel(rows, b.columns - column, {out.data + column, out.stride}, start.add,
                 [&](const Rows& to) { loops.multiply(rows, terms, a, last, to, from); });
}

}  // namespace

void multiply(std::int64_t rows, const ConstRows& a, const PackedMatrix& b, const Rows& out, const float* bias) {
  multiply_columns(rows, a, b, {0, b.columns()}, out, bias);
}

void multiply_columns(std::int64_t rows, const ConstRows& a, const PackedMatrix& b, const ColumnRange& columns,
                      const Rows& out, const float* bias) {
  thread_local FloatBuffer scratch;
  const auto& loops = tile_loops(b.type());
  // As many rows as stay in the first-level cache, beside the panels over which the loop runs.
  constexpr std::int64_t kLeftValues = 6144;
  const auto step = kLeftValues / std::clamp<std::int64_t>(b.depth(), 64, kDepthBlock) / kTileRows * kTileRows;
  for (std::int64_t row = 0; row < rows; row += step) {
    const auto count = std::min(step, rows - row);
    const auto left = left_terms(b.type(), {a.data + row * a.stride, a.stride}, count, b.depth(), scratch);
    for (std::int64_t block = 0; block < b.depth(); block += kDepthBlock) {
      const bool first = block == 0;
      const bool with_bias = first && bias != nullptr;
      multiply_block(loops, count, b.block_terms(block), {left.data + terms_of(block, b.type()), left.stride, 1},
                     {.columns = columns.end - columns.begin, .panels = panels_of(b, block, columns.begin)},
                     {out.data + row * out.stride + columns.begin, out.stride},
                     {.bias = with_bias ? bias + columns.begin : nullptr, .add = !first});
    }
  }
}

void multiply_transposed(const PackedMatrix& a, const PackedMatrix& b, const MatrixBlock& part, const Rows& out) {
  const auto& loops = tile_loops(b.type());
  for (std::int64_t block = 0; block < b.depth(); block += kDepthBlock) {
    for (auto first = part.row_begin; first < part.row_end; first += kPanelRowsAtATime) {
      const auto rows = std::min(kPanelRowsAtATime, part.row_end - first);
      std::array<const float*, kPanelRowsAtATime> left{};
      for (std::int64_t i = 0; i < rows; ++i) {
        const auto row = static_cast<std::size_t>(i);
        left[row] = i % kPanelWidth == 0 ? a.panel(block, first + i) : left[row - 1] + 1;
      }
      const auto multiply_panels = [&](std::int64_t column, std::int64_t count, const Rows& to) {
        auto panels = panels_of(b, block, column);
        panels.count = count;
        loops.multiply_columns(rows, b.block_terms(block), left.data(), panels, to);
      };
      const Rows to{out.data + (first - part.row_begin) * out.stride, out.stride};
      const auto whole = (part.column_end - part.column_begin) / kPanelWidth;
      multiply_panels(part.column_begin, whole, to);
      const auto column = part.column_begin + whole * kPanelWidth;
      if (column < part.column_end) {
        in_whole_panel(rows, part.column_end - column, {to.data + whole * kPanelWidth, to.stride}, /*keep=*/true,
                       [&](const Rows& panel) { multiply_panels(column, 1, panel); });
      }
    }
  }
}

void multiply_small(const ProductShape& shape, const Strided& a, const Strided& b, const Rows& out) {
  tile_loops(FactorType::kFloat)
      .multiply(shape.rows, shape.depth, a, {b.data, shape.columns / kPanelWidth, b.row, b.depth}, out, {});
}

}  // namespace translate
