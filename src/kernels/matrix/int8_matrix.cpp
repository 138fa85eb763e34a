#include "kernels/matrix/int8_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/processor.h"
#include "kernels/exponential.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/tile_avx2.h"

namespace translate {

namespace {

/// Adding and subtracting 1.5 * 2^23 rounds to an integer, because floats of that size hold only integers.
constexpr float kRounder = 12582912.0F;

}  // namespace

TRANSLATE_VECTOR_CLONES
float largest_magnitude(const float* values, std::int64_t count) {
  float largest = 0.0F;
#pragma omp simd reduction(max : largest)
  for (std::int64_t i = 0; i < count; ++i) {
    const float magnitude = std::fabs(values[i]);
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

TRANSLATE_VECTOR_CLONES
void round_row(const float* values, std::int64_t count, float factor, std::int16_t* out) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::int16_t>(static_cast<std::int32_t>((values[i] * factor + kRounder) - kRounder));
  }
}

namespace {

constexpr std::int64_t kPair = 2;
constexpr float kLargestWeight = 127.0F;
constexpr float kLargestValue = 32767.0F;

/// Sums of a block of depths stay below 2^31: 256 * 127 * 32767 < 1.1 * 10^9.
static_assert(kDepthBlock * 127LL * 32767LL < (1LL << 31));

constexpr std::int64_t whole_pairs(std::int64_t depth) { return (depth + 1) / kPair * kPair; }

/// Two neighbouring values of 8 bits as they lie in memory.
using BytePair = std::array<std::int8_t, kPair>;

/// Sets the pairs of one column of a panel, from integers that fit 8 bits.
void set_pairs(const std::int16_t* values, std::int64_t pairs, BytePair* column) {
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    column[pair * kPanelWidth] = {static_cast<std::int8_t>(values[pair * kPair]),
                                  static_cast<std::int8_t>(values[pair * kPair + 1])};
  }
}

/// The inputs of a tile of a product.
struct Tile {
  const std::int16_t* a;
  std::int64_t a_stride;
  const float* a_scales;
  const std::int8_t* panel;
  const float* b_scales;
  std::int64_t pairs;
  const float* bias;  ///< null: the result is added to the previous values of `out`
};

#if TRANSLATE_HAS_AVX2_CODE

/// Two neighbouring values of 16 bits, read at once.
using PairBits [[gnu::may_alias]] = std::int32_t;

/// Adds one pair of terms of one row. In assembly, because twelve sums, two vectors of weights and these two
/// temporaries fill all sixteen registers; the compiler would need a few more and keep sums in memory.
TRANSLATE_TILE void add_pair(const std::int16_t* at, const __m256i& low, const __m256i& high, __m256i* sums) {
  __m256i x;
  __m256i product;
  asm("vpbroadcastd %[at], %[x]\n\t"
      "vpmaddwd %[low], %[x], %[product]\n\t"
      "vpmaddwd %[high], %[x], %[x]\n\t"
      "vpaddd %[product], %[first], %[first]\n\t"
      "vpaddd %[x], %[second], %[second]"
      : [first] "+x"(sums[0]), [second] "+x"(sums[1]), [x] "=&x"(x), [product] "=&x"(product)
      : [at] "m"(*reinterpret_cast<const PairBits*>(at)), [low] "x"(low), [high] "x"(high));
}

/// out (kRows, 16) = bias, or its previous values, + a b.
template <int kRows>
TRANSLATE_TILE void multiply_int8_tile(const Tile& tile, const Rows& out) {
  __m256i sums[kRows][2];
#pragma GCC unroll 6
  for (int i = 0; i < kRows; ++i) {
    sums[i][0] = _mm256_setzero_si256();
    sums[i][1] = _mm256_setzero_si256();
  }
  const std::int16_t* first = tile.a;
  const std::int16_t* fourth = tile.a + 3 * tile.a_stride;
  const std::int8_t* right = tile.panel;
  for (std::int64_t pair = 0; pair < tile.pairs; ++pair) {
    const __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(right)));
    const __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(right + kPanelWidth)));
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) {
      add_pair(i < 3 ? first + i * tile.a_stride : fourth + (i - 3) * tile.a_stride, low, high, sums[i]);
    }
    first += kPair;
    fourth += kPair;
    right += kPair * kPanelWidth;
  }
#pragma GCC unroll 6
  for (int i = 0; i < kRows; ++i) {
    const __m256 row_scale = _mm256_broadcast_ss(tile.a_scales + i);
    float* to = out.data + i * out.stride;
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const __m256 scale = _mm256_mul_ps(row_scale, _mm256_loadu_ps(tile.b_scales + 8 * half));
      const __m256 start = _mm256_loadu_ps(tile.bias != nullptr ? tile.bias + 8 * half : to + 8 * half);
      _mm256_storeu_ps(to + 8 * half, _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums[i][half]), scale, start));
    }
  }
}

TRANSLATE_AVX2 void part_int8_tile(std::int64_t rows, const Tile& tile, const Rows& out) {
  TRANSLATE_WITH_ROWS(rows, multiply_int8_tile, tile, out);
}

TRANSLATE_AVX2 void multiply_int8_tiles(std::int64_t rows, Tile tile, Rows out) {
  for (; rows >= tile_avx2::kHeight; rows -= tile_avx2::kHeight) {
    multiply_int8_tile<tile_avx2::kHeight>(tile, out);
    tile.a += tile_avx2::kHeight * tile.a_stride;
    tile.a_scales += tile_avx2::kHeight;
    out.data += tile_avx2::kHeight * out.stride;
  }
  if (rows > 0) {
    part_int8_tile(rows, tile, out);
  }
}

#else

void multiply_int8_tiles(std::int64_t, Tile, Rows) {}

#endif

}  // namespace

void Int8Matrix::resize(std::int64_t depth, std::int64_t columns) {
  depth_ = depth;
  columns_ = columns;
  values_.resize(static_cast<std::size_t>(whole_pairs(depth) * whole_panels(columns)));
  scales_.assign(static_cast<std::size_t>(whole_panels(columns)), 0.0F);
}

std::int64_t Int8Matrix::panel_offset(std::int64_t block, std::int64_t column) const {
  return block * whole_panels(columns_) + column * whole_pairs(std::min(kDepthBlock, depth_ - block));
}

void Int8Matrix::set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count) {
  std::array<std::int16_t, kDepthBlock> rounded{};
  for (std::int64_t i = 0; i < whole_panels(count); ++i) {
    const auto column = first + i;
    const float* from = i < count ? rows.data + i * rows.stride : nullptr;
    const float largest = from != nullptr ? largest_magnitude(from, depth_) : 0.0F;
    scales_[static_cast<std::size_t>(column)] = largest / kLargestWeight;
    for (std::int64_t block = 0; block < depth_; block += kDepthBlock) {
      const auto block_depth = std::min(kDepthBlock, depth_ - block);
      if (largest > 0.0F) {
        rounded[static_cast<std::size_t>(whole_pairs(block_depth) - 1)] = 0;
        round_row(from + block, block_depth, kLargestWeight / largest, rounded.data());
      } else {
        rounded.fill(0);
      }
      auto* values = values_.data() + panel_offset(block, column / kPanelWidth * kPanelWidth);
      set_pairs(rounded.data(), whole_pairs(block_depth) / kPair,
                reinterpret_cast<BytePair*>(values) + column % kPanelWidth);
    }
  }
}

void Int16Rows::set(const ConstRows& rows, std::int64_t count, std::int64_t width) {
  stride_ = whole_pairs(width);
  values_.resize(static_cast<std::size_t>(count * stride_));
  scales_.resize(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const float* from = rows.data + i * rows.stride;
    const float largest = largest_magnitude(from, width);
    scales_[static_cast<std::size_t>(i)] = largest / kLargestValue;
    auto* to = values_.data() + i * stride_;
    to[stride_ - 1] = 0;
    round_row(from, width, largest > 0.0F ? kLargestValue / largest : 0.0F, to);
  }
}

void multiply_int8(std::int64_t rows, const Int16Rows& a, const Int8Matrix& b, const ColumnRange& columns,
                   const Rows& out, const float* bias) {
  constexpr std::array<float, kPanelWidth> kNoBias{};
  // As many rows as stay in the first-level cache, beside a panel, while the loop runs over the panels.
  constexpr std::int64_t kLeftValues = 12288;
  const auto fitting = kLeftValues / std::clamp<std::int64_t>(b.depth(), 64, kDepthBlock) / kTileRows * kTileRows;
  const auto step = std::min(fitting, kPanelRowsAtATime);
  for (std::int64_t row = 0; row < rows; row += step) {
    const auto count = std::min(step, rows - row);
    for (std::int64_t block = 0; block < b.depth(); block += kDepthBlock) {
      const auto pairs = whole_pairs(std::min(kDepthBlock, b.depth() - block)) / kPair;
      for (auto column = columns.begin; column < columns.end; column += kPanelWidth) {
        const auto width = std::min(kPanelWidth, columns.end - column);
        std::array<float, kPanelWidth> whole_bias{};
        const float* start = kNoBias.data();
        if (bias != nullptr) {
          start = bias + column;
          if (width < kPanelWidth) {
            std::copy_n(start, width, whole_bias.data());
            start = whole_bias.data();
          }
        }
        const Tile tile{.a = a.row(row) + block,
                        .a_stride = a.stride(),
                        .a_scales = a.scales() + row,
                        .panel = b.panel(block, column),
                        .b_scales = b.scales() + column,
                        .pairs = pairs,
                        .bias = block == 0 ? start : nullptr};
        in_whole_panel(count, width, {out.data + row * out.stride + column, out.stride}, /*keep=*/block > 0,
                       [&](const Rows& to) { multiply_int8_tiles(count, tile, to); });
      }
    }
  }
}

}  // namespace translate
