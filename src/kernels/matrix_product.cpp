#include "translate/kernels/matrix_product.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "translate/kernels/cpu_features.h"

#if TRANSLATE_HAS_AVX2_CODE
#include <immintrin.h>
#endif

namespace translate {
namespace {

/// How a tile's sums begin.
struct Start {
  const float* bias = nullptr;  ///< with these, one a column,
  bool add = false;             ///< or with what the output holds, or with zero
};

#if TRANSLATE_HAS_AVX2_CODE

/// One tile: out (kRows, 16) = start + a b. Twelve accumulators, two loads and a broadcast: all sixteen registers.
template <int kRows>
TRANSLATE_AVX2 void tile(std::int64_t depth, const Strided& a, const float* b, std::int64_t b_stride, const Rows& out,
                         const Start& start) {
  __m256 sums[kRows][2];
  for (int i = 0; i < kRows; ++i) {
    const float* from = start.bias != nullptr ? start.bias : out.data + i * out.stride;
    const bool any = start.bias != nullptr || start.add;
    sums[i][0] = any ? _mm256_loadu_ps(from) : _mm256_setzero_ps();
    sums[i][1] = any ? _mm256_loadu_ps(from + 8) : _mm256_setzero_ps();
  }
  const float* low = a.data;
  const float* high = a.data + 3 * a.row;
  for (std::int64_t k = 0; k < depth; ++k) {
    const __m256 left = _mm256_loadu_ps(b);
    const __m256 right = _mm256_loadu_ps(b + 8);
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) {
      const __m256 x = _mm256_broadcast_ss(i < 3 ? low + i * a.row : high + (i - 3) * a.row);
      sums[i][0] = _mm256_fmadd_ps(x, left, sums[i][0]);
      sums[i][1] = _mm256_fmadd_ps(x, right, sums[i][1]);
    }
    low += a.depth;
    high += a.depth;
    b += b_stride;
  }
#pragma GCC unroll 6
  for (int i = 0; i < kRows; ++i) {
    _mm256_storeu_ps(out.data + i * out.stride, sums[i][0]);
    _mm256_storeu_ps(out.data + i * out.stride + 8, sums[i][1]);
  }
}

TRANSLATE_AVX2 void whole_tile(std::int64_t rows, std::int64_t depth, const Strided& a, const float* b,
                               std::int64_t b_stride, const Rows& out, const Start& start) {
  switch (rows) {
    case 6:
      return tile<6>(depth, a, b, b_stride, out, start);
    case 5:
      return tile<5>(depth, a, b, b_stride, out, start);
    case 4:
      return tile<4>(depth, a, b, b_stride, out, start);
    case 3:
      return tile<3>(depth, a, b, b_stride, out, start);
    case 2:
      return tile<2>(depth, a, b, b_stride, out, start);
    default:
      return tile<1>(depth, a, b, b_stride, out, start);
  }
}

#else

void whole_tile(std::int64_t, std::int64_t, const Strided&, const float*, std::int64_t, const Rows&, const Start&) {}

#endif

/// `count` (at most 6) columns of `depth` rows, one row after the other, 6 floats each.
void pack_tile_columns(const ConstRows& from, std::int64_t count, std::int64_t depth, float* to) {
  const auto [source, stride] = from;
  if (count == kTileRows) {
    for (std::int64_t k = 0; k < depth; ++k) {
      std::memcpy(to + k * kTileRows, source + k * stride, kTileRows * sizeof(float));
    }
    return;
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    std::copy_n(source + k * stride, count, to + k * kTileRows);
  }
}

/// A tile of which only `columns` < 16 columns exist in the output.
void cut_tile(std::int64_t rows, std::int64_t columns, std::int64_t depth, const Strided& a, const float* b,
              const Rows& out, const Start& start) {
  std::array<float, kTileRows * kPanelWidth> results{};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      results[static_cast<std::size_t>(i * kPanelWidth + j)] = start.bias != nullptr ? start.bias[j]
                                                               : start.add           ? out.data[i * out.stride + j]
                                                                                     : 0.0F;
    }
  }
  whole_tile(rows, depth, a, b, kPanelWidth, {results.data(), kPanelWidth}, {.add = true});
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(results.data() + i * kPanelWidth, columns, out.data + i * out.stride);
  }
}

/// out (rows, columns of one panel) from a block of depths.
void multiply_panel(std::int64_t rows, std::int64_t columns, std::int64_t depth, const Strided& a, const float* panel,
                    const Rows& out, const Start& start) {
  for (std::int64_t i = 0; i < rows; i += kTileRows) {
    const auto count = std::min(kTileRows, rows - i);
    const Strided left{a.data + i * a.row, a.row, a.depth};
    const Rows right{out.data + i * out.stride, out.stride};
    if (columns == kPanelWidth) {
      whole_tile(count, depth, left, panel, kPanelWidth, right, start);
    } else {
      cut_tile(count, columns, depth, left, panel, right, start);
    }
  }
}

}  // namespace

void multiply(std::int64_t rows, const ConstRows& a, const PackedMatrix& b, const Rows& out, Into into,
              const float* bias) {
  // So many rows that they stay in the first-level cache, beside a panel, while the panels go by.
  constexpr std::int64_t kLeftValues = 6144;
  const auto step = kLeftValues / std::clamp<std::int64_t>(b.depth(), 64, kDepthBlock) / kTileRows * kTileRows;
  for (std::int64_t row = 0; row < rows; row += step) {
    const auto count = std::min(step, rows - row);
    for (std::int64_t block = 0; block < b.depth(); block += kDepthBlock) {
      const bool first = block == 0;
      const bool with_bias = first && into == Into::kOverwrite && bias != nullptr;
      for (std::int64_t column = 0; column < b.columns(); column += kPanelWidth) {
        multiply_panel(count, std::min(kPanelWidth, b.columns() - column), b.block_depth(block),
                       {a.data + row * a.stride + block, a.stride, 1}, b.panel(block, column),
                       {out.data + row * out.stride + column, out.stride},
                       {.bias = with_bias ? bias + column : nullptr, .add = !first || into == Into::kAdd});
      }
    }
  }
}

void multiply_transposed(const ConstRows& a, std::int64_t begin, std::int64_t end, const PackedMatrix& b,
                         const Rows& out) {
  // The left factor's columns are packed, too: read as they lie, each would touch as many lines as the sums are deep.
  constexpr std::int64_t kRows = 16 * kTileRows;
  thread_local FloatBuffer scratch;
  for (std::int64_t block = 0; block < b.depth(); block += kDepthBlock) {
    const auto depth = b.block_depth(block);
    for (auto from = begin; from < end; from += kRows) {
      const auto rows = std::min(kRows, end - from);
      float* packed = scratch.take(kRows * kDepthBlock);
      for (std::int64_t i = 0; i < rows; i += kTileRows) {
        pack_tile_columns({a.data + block * a.stride + from + i, a.stride}, std::min(kTileRows, rows - i), depth,
                          packed + i * depth);
      }
      for (std::int64_t column = 0; column < b.columns(); column += kPanelWidth) {
        for (std::int64_t i = 0; i < rows; i += kTileRows) {
          multiply_panel(std::min(kTileRows, rows - i), std::min(kPanelWidth, b.columns() - column), depth,
                         {packed + i * depth, 1, kTileRows}, b.panel(block, column),
                         {out.data + (from + i) * out.stride + column, out.stride}, {.add = true});
        }
      }
    }
  }
}

void multiply_small(const ProductShape& shape, const Strided& a, const Strided& b, const Rows& out) {
  for (std::int64_t column = 0; column < shape.columns; column += kPanelWidth) {
    for (std::int64_t i = 0; i < shape.rows; i += kTileRows) {
      whole_tile(std::min(kTileRows, shape.rows - i), shape.depth, {a.data + i * a.row, a.row, a.depth},
                 b.data + column / kPanelWidth * b.row, b.depth, {out.data + i * out.stride + column, out.stride}, {});
    }
  }
}

}  // namespace translate
