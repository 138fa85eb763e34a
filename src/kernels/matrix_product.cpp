#include "translate/kernels/matrix_product.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "translate/kernels/cpu_features.h"
#include "translate/kernels/parallel.h"

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

/// 8 x 8 floats, rows `stride` apart, to rows 16 apart.
TRANSLATE_AVX2 void transpose_8x8(const float* from, std::int64_t stride, float* to) {
  __m256 r[8];
  __m256 t[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(from + i * stride);
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xEE);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xEE);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * kPanelWidth, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * kPanelWidth, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}

#else

void whole_tile(std::int64_t, std::int64_t, const Strided&, const float*, std::int64_t, const Rows&, const Start&) {}
void transpose_8x8(const float*, std::int64_t, float*) {}

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

void PackedMatrix::resize(std::int64_t depth, std::int64_t columns) {
  depth_ = depth;
  columns_ = columns;
  (void)values_.take(std::max<std::int64_t>(depth * whole_panels(columns), 1));
}

std::int64_t PackedMatrix::block_depth(std::int64_t block) const { return std::min(kDepthBlock, depth_ - block); }

float* PackedMatrix::panel(std::int64_t block, std::int64_t column) const {
  return values_.data() + block * whole_panels(columns_) + column * block_depth(block);
}

void PackedMatrix::set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count) {
  for (std::int64_t block = 0; block < depth_; block += kDepthBlock) {
    for (std::int64_t i = 0; i < count; i += kPanelWidth) {
      transpose_to_panel({rows.data + i * rows.stride + block, rows.stride}, std::min(kPanelWidth, count - i),
                         block_depth(block), panel(block, first + i));
    }
  }
}

void PackedMatrix::set_row(std::int64_t depth_index, const float* row) {
  const auto block = depth_index / kDepthBlock * kDepthBlock;
  const auto step = kPanelWidth * block_depth(block);
  float* to = panel(block, 0) + (depth_index - block) * kPanelWidth;
  std::int64_t column = 0;
  for (; column + kPanelWidth <= columns_; column += kPanelWidth, to += step) {
    std::memcpy(to, row + column, kPanelWidth * sizeof(float));
  }
  if (column < columns_) {
    std::fill_n(std::copy_n(row + column, columns_ - column, to), whole_panels(columns_) - columns_, 0.0F);
  }
}

void pack_transposed(const ConstRows& weight, std::int64_t out, std::int64_t in, PackedMatrix& packed) {
  packed.resize(in, out);
  constexpr std::int64_t kColumns = 8 * kPanelWidth;
  parallel_chunks((out + kColumns - 1) / kColumns, [&](std::int64_t chunk) {
    const auto first = chunk * kColumns;
    packed.set_columns({weight.data + first * weight.stride, weight.stride}, first, std::min(kColumns, out - first));
  });
}

void pack(const ConstRows& weight, std::int64_t depth, std::int64_t columns, PackedMatrix& packed) {
  packed.resize(depth, columns);
  constexpr std::int64_t kRows = 128;
  parallel_chunks((depth + kRows - 1) / kRows, [&](std::int64_t chunk) {
    for (auto row = chunk * kRows; row < std::min((chunk + 1) * kRows, depth); ++row) {
      packed.set_row(row, weight.data + row * weight.stride);
    }
  });
}

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

void transpose_to_panel(const ConstRows& rows, std::int64_t count, std::int64_t width, float* out) {
  constexpr std::int64_t kSide = 8;
  std::int64_t i = 0;
  if (count == kPanelWidth) {
    for (; i + kSide <= width; i += kSide) {
      transpose_8x8(rows.data + i, rows.stride, out + i * kPanelWidth);
      transpose_8x8(rows.data + kSide * rows.stride + i, rows.stride, out + i * kPanelWidth + kSide);
    }
  }
  for (; i < width; ++i) {
    for (std::int64_t r = 0; r < kPanelWidth; ++r) {
      out[i * kPanelWidth + r] = r < count ? rows.data[r * rows.stride + i] : 0.0F;
    }
  }
}

}  // namespace translate
