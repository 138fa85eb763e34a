#include "kernels/matrix/byte_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/processor.h"
#include "kernels/exponential.h"
#include "kernels/float_buffer.h"
#include "kernels/matrix/byte_loops.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/tile_avx2.h"
#include "kernels/matrix/tile_avx512.h"

namespace translate {

namespace {

constexpr float kLargestWeight = 127.0F;
constexpr float kSteps = 255.0F;

/// Adding and subtracting 1.5 * 2^23 rounds to an integer, because floats of that size hold only integers.
constexpr float kRounder = 12582912.0F;

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

/// The largest absolute value of the sum of two neighbours, of the pairs that begin at even places.
TRANSLATE_VECTOR_CLONES
float largest_pair(const float* values, std::int64_t count) {
  float largest = 0.0F;
#pragma omp simd reduction(max : largest)
  for (std::int64_t i = 0; i < count / 2; ++i) {
    const float magnitude = std::fabs(values[2 * i] + values[2 * i + 1]);
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

/// What 127 stands for in a column. AVX2, and plain code, which gives the same results, add the products of two
/// neighbours in 16 bits: 255 * (127 + 1), where 1 is what rounding may add to the sum of two weights, is what fits
/// them. Weights of opposite signs do not add up.
float range_of_column(const float* values, std::int64_t count) {
  const float largest = largest_magnitude(values, count);
  return has_vnni_kernels() || has_neon_kernels() ? largest : std::max(largest, largest_pair(values, count));
}

/// out = values * factor, rounded to the nearest integer, which must fit 16 bits.
TRANSLATE_VECTOR_CLONES
void round_row(const float* values, std::int64_t count, float factor, std::int16_t* out) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::int16_t>(static_cast<std::int32_t>((values[i] * factor + kRounder) - kRounder));
  }
}

struct Extremes {
  float least;
  float largest;
};

TRANSLATE_VECTOR_CLONES
Extremes extremes_of(const float* values, std::int64_t count) {
  float least = values[0];
  float largest = values[0];
#pragma omp simd reduction(min : least) reduction(max : largest)
  for (std::int64_t i = 0; i < count; ++i) {
    least = values[i] < least ? values[i] : least;
    largest = values[i] > largest ? values[i] : largest;
  }
  return {.least = least, .largest = largest};
}

TRANSLATE_VECTOR_CLONES
void round_to_bytes(const float* values, std::int64_t count, float least, float factor, std::uint8_t* out) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): never negative; std::lround is not vectorised
    out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>((values[i] - least) * factor + 0.5F));
  }
}

/// Computes one row of `panels` panels in plain arithmetic.
void multiply_row_plainly(std::int64_t panels, const ByteTask& task, std::int64_t row, float* out) {
  const std::uint8_t* left = task.a + row * task.a_stride;
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    const std::int8_t* right = task.panels + panel * task.terms * kPanelWidth * kTermBytes;
    std::array<std::int32_t, kPanelWidth> sums{};
    for (std::int64_t term = 0; term < task.terms; ++term, left += kTermBytes) {
      for (std::size_t i = 0; i < sums.size(); ++i, right += kTermBytes) {
        const auto first = static_cast<std::int16_t>(left[0] * right[0] + left[1] * right[1]);
        const auto second = static_cast<std::int16_t>(left[2] * right[2] + left[3] * right[3]);
        sums[i] += first + second;
      }
    }
    left -= task.terms * kTermBytes;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto column = panel * kPanelWidth + static_cast<std::int64_t>(i);
      const float sum = task.a_steps[row] * static_cast<float>(sums[i]) + task.a_least[row] * task.sums[column];
      out[column] = sum * task.scales[column] + (task.bias != nullptr ? task.bias[column] : 0.0F);
    }
  }
}

#if TRANSLATE_HAS_AVX2_CODE

/// Four neighbouring bytes, read at once.
using TermBits [[gnu::may_alias]] = std::int32_t;

/// The sums of a panel's rows over the terms so far, where the depth is divided.
using PartialSums = std::array<std::int32_t, kPanelRowsAtATime * kPanelWidth>;

/// A range of a product's terms, [begin, end).
struct Terms {
  std::int64_t begin;
  std::int64_t end;
};

/// Adds terms to the sums of kRows rows, and computes the results when the last one is added. Twelve sums would leave
/// no registers for the weights: four rows at a time are the fastest.
template <int kRows>
TRANSLATE_TILE void multiply_byte_tile(const ByteTask& task, std::int64_t row, std::int64_t panel, const Terms& terms,
                                       std::int32_t* partial, const Rows& out) {
  __m256i sums[kRows][2];
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const auto* from = reinterpret_cast<const __m256i*>(partial + i * kPanelWidth + 8 * half);
      sums[i][half] = terms.begin > 0 ? _mm256_loadu_si256(from) : _mm256_setzero_si256();
    }
  }
  const __m256i ones = _mm256_set1_epi16(1);
  const std::uint8_t* left = task.a + row * task.a_stride;
  const std::int8_t* right = task.panels + (panel * task.terms + terms.begin) * kPanelWidth * kTermBytes;
  for (std::int64_t term = terms.begin; term < terms.end; ++term) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(right));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(right) + 1);
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
      const auto* at = reinterpret_cast<const TermBits*>(left + i * task.a_stride + term * kTermBytes);
      const __m256i x = _mm256_set1_epi32(*at);
      sums[i][0] = _mm256_add_epi32(sums[i][0], _mm256_madd_epi16(_mm256_maddubs_epi16(x, low), ones));
      sums[i][1] = _mm256_add_epi32(sums[i][1], _mm256_madd_epi16(_mm256_maddubs_epi16(x, high), ones));
    }
    right += kPanelWidth * kTermBytes;
  }
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      if (terms.end < task.terms) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(partial + i * kPanelWidth + 8 * half), sums[i][half]);
        continue;
      }
      const auto column = panel * kPanelWidth + 8 * half;
      const __m256 step = _mm256_broadcast_ss(task.a_steps + row + i);
      const __m256 least = _mm256_broadcast_ss(task.a_least + row + i);
      const __m256 whole = _mm256_mul_ps(step, _mm256_cvtepi32_ps(sums[i][half]));
      const __m256 sum = _mm256_fmadd_ps(least, _mm256_loadu_ps(task.sums + column), whole);
      const __m256 start = task.bias != nullptr ? _mm256_loadu_ps(task.bias + column) : _mm256_setzero_ps();
      _mm256_storeu_ps(out.data + (row + i) * out.stride + column,
                       _mm256_fmadd_ps(sum, _mm256_loadu_ps(task.scales + column), start));
    }
  }
}

/// The same for 1 to 4 rows.
TRANSLATE_AVX2 void multiply_byte_tile_of(std::int64_t rows, const ByteTask& task, std::int64_t row, std::int64_t panel,
                                          const Terms& terms, std::int32_t* partial, const Rows& out) {
  switch (rows) {
    case 4:
      return multiply_byte_tile<4>(task, row, panel, terms, partial, out);
    case 3:
      return multiply_byte_tile<3>(task, row, panel, terms, partial, out);
    case 2:
      return multiply_byte_tile<2>(task, row, panel, terms, partial, out);
    default:
      return multiply_byte_tile<1>(task, row, panel, terms, partial, out);
  }
}

/// Panel by panel, so that each is read from memory once. The depth is divided, so that the part of a panel that all
/// rows read stays in the first-level cache.
TRANSLATE_AVX2 void multiply_panels_avx2(std::int64_t rows, std::int64_t panels, const ByteTask& task,
                                         const Rows& out) {
  constexpr std::int64_t kHeight = 4;
  constexpr std::int64_t kTermsAtATime = 128;
  alignas(32) PartialSums partial;
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    for (std::int64_t first = 0; first < rows; first += kPanelRowsAtATime) {
      const EvenTiles tiles(std::min(kPanelRowsAtATime, rows - first), kHeight);
      for (std::int64_t term = 0; term < task.terms; term += kTermsAtATime) {
        const Terms terms{term, std::min(term + kTermsAtATime, task.terms)};
        for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
          const auto begin = tiles.begin(tile);
          multiply_byte_tile_of(tiles.begin(tile + 1) - begin, task, first + begin, panel, terms,
                                partial.data() + begin * kPanelWidth, out);
        }
      }
    }
  }
}

using namespace tile_avx512;

/// out (kRows, 16 kPanels) = a b + bias, from row `row` and panel `panel` on.
struct MultiplyTile {
  template <int kRows, int kPanels>
  TRANSLATE_AVX512 static void run(const ByteTask& task, std::int64_t row, std::int64_t panel, const Rows& out) {
    const auto to_next_panel = task.terms * kWidth;
    Sums<kRows, kPanels> sums;
    clear(sums);
    accumulate<ByteTerm>(task.terms, reinterpret_cast<const float*>(task.a + row * task.a_stride),
                         reinterpret_cast<const float*>(task.panels) + panel * to_next_panel,
                         {task.a_stride / kTermBytes, 1, to_next_panel, kWidth}, sums);
#pragma GCC unroll 12
    for (int i = 0; i < kRows; ++i) {
      const __m512 step = _mm512_set1_ps(task.a_steps[row + i]);
      const __m512 least = _mm512_set1_ps(task.a_least[row + i]);
      float* to = out.data + (row + i) * out.stride + panel * kWidth;
#pragma GCC unroll 2
      for (int j = 0; j < kPanels; ++j) {
        const auto column = (panel + j) * kWidth;
        const __m512 whole = _mm512_cvtepi32_ps(_mm512_castps_si512(sums.at[i][j]));
        const __m512 sum = _mm512_fmadd_ps(least, _mm512_loadu_ps(task.sums + column), _mm512_mul_ps(step, whole));
        const __m512 start = task.bias != nullptr ? _mm512_loadu_ps(task.bias + column) : _mm512_setzero_ps();
        _mm512_storeu_ps(to + j * kWidth, _mm512_fmadd_ps(sum, _mm512_loadu_ps(task.scales + column), start));
      }
    }
  }
};

struct MultiplyLoop {
  std::int64_t rows;
  const ByteTask& task;
  const Rows& out;

  template <int kPanels>
  TRANSLATE_AVX512 void run(std::int64_t panel) const {
    const EvenTiles tiles(rows, kHeight);
    for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
      const auto row = tiles.begin(tile);
      with_rows<MultiplyTile, kPanels>(tiles.begin(tile + 1) - row, task, row, panel, out);
    }
  }
};

TRANSLATE_AVX512 void multiply_panels_vnni(std::int64_t rows, std::int64_t panels, const ByteTask& task,
                                           const Rows& out) {
  for_panel_pairs(panels, MultiplyLoop{rows, task, out});
}

#endif

void multiply_panels(std::int64_t rows, std::int64_t panels, const ByteTask& task, const Rows& out) {
#if TRANSLATE_HAS_AVX2_CODE
  if (has_vnni_kernels()) {
    return multiply_panels_vnni(rows, panels, task, out);
  }
  if (has_avx2_kernels()) {
    return multiply_panels_avx2(rows, panels, task, out);
  }
#endif
  if (has_neon_kernels()) {
    return multiply_panels_neon(rows, panels, task, out);
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    multiply_row_plainly(panels, task, row, out.data + row * out.stride);
  }
}

}  // namespace

void ByteMatrix::resize(std::int64_t depth, std::int64_t columns) {
  depth_ = depth;
  columns_ = columns;
  const auto whole = static_cast<std::size_t>(whole_panels(columns));
  values_.resize(static_cast<std::size_t>(kTermBytes * terms()) * whole);
  scales_.assign(whole, 0.0F);
  sums_.assign(whole, 0.0F);
}

void ByteMatrix::set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count) {
  std::vector<std::int16_t> rounded(static_cast<std::size_t>(kTermBytes * terms()));
  for (std::int64_t i = 0; i < whole_panels(count); ++i) {
    const auto column = first + i;
    const float* from = i < count ? rows.data + i * rows.stride : nullptr;
    const float range = from != nullptr ? range_of_column(from, depth_) : 0.0F;
    std::ranges::fill(rounded, std::int16_t{0});
    if (range > 0.0F) {
      round_row(from, depth_, kLargestWeight / range, rounded.data());
    }
    auto* values =
        values_.data() + column / kPanelWidth * kPanelWidth * kTermBytes * terms() + column % kPanelWidth * kTermBytes;
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < kTermBytes * terms(); ++k) {
      const auto value = rounded[static_cast<std::size_t>(k)];
      values[k / kTermBytes * kPanelWidth * kTermBytes + k % kTermBytes] = static_cast<std::int8_t>(value);
      sum += value;
    }
    scales_[static_cast<std::size_t>(column)] = range / kLargestWeight;
    sums_[static_cast<std::size_t>(column)] = static_cast<float>(sum);
  }
}

void ByteMatrix::copy_terms(std::int64_t column, float* terms) const {
  const auto* from = panel(column / kPanelWidth * kPanelWidth) + column % kPanelWidth * kTermBytes;
  for (std::int64_t i = 0; i < this->terms(); ++i) {
    std::memcpy(terms + i, from + i * kPanelWidth * kTermBytes, kTermBytes);
  }
  terms[this->terms()] = scales_[static_cast<std::size_t>(column)];
  terms[this->terms() + 1] = sums_[static_cast<std::size_t>(column)];
}

void ByteMatrix::set_terms(const ConstRows& rows, std::int64_t first, std::int64_t count) {
  thread_local FloatBuffer scratch;
  const auto size = terms() * kPanelWidth;
  float* const panel_terms = scratch.take(size);
  for (std::int64_t i = 0; i < count; i += kPanelWidth) {
    const float* from = rows.data + i * rows.stride;
    const auto columns = std::min(kPanelWidth, count - i);
    transpose_to_panel({from, rows.stride}, columns, terms(), panel_terms);
    std::memcpy(values_.data() + (first + i) * kTermBytes * terms(), panel_terms,
                static_cast<std::size_t>(size * kTermBytes));
    for (std::int64_t column = 0; column < columns; ++column) {
      const float* factors = from + column * rows.stride + terms();
      scales_[static_cast<std::size_t>(first + i + column)] = factors[0];
      sums_[static_cast<std::size_t>(first + i + column)] = factors[1];
    }
  }
}

void ByteRows::set(const ConstRows& rows, std::int64_t count, std::int64_t width) {
  stride_ = (width + kTermBytes - 1) / kTermBytes * kTermBytes;
  values_.resize(static_cast<std::size_t>(count * stride_));
  least_.resize(static_cast<std::size_t>(count));
  steps_.resize(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const float* from = rows.data + i * rows.stride;
    const auto [least, largest] = extremes_of(from, width);
    const float range = largest - least;
    least_[static_cast<std::size_t>(i)] = least;
    steps_[static_cast<std::size_t>(i)] = range / kSteps;
    auto* to = values_.data() + i * stride_;
    std::fill_n(to + width, stride_ - width, std::uint8_t{0});
    round_to_bytes(from, width, least, range > 0.0F ? kSteps / range : 0.0F, to);
  }
}

void multiply_bytes(std::int64_t rows, const ByteRows& a, const ByteMatrix& b, const ColumnRange& columns,
                    const Rows& out, const float* bias) {
  const auto task_at = [&](std::int64_t column, const float* start) {
    return ByteTask{.terms = b.terms(),
                    .a = a.row(0),
                    .a_stride = a.stride(),
                    .a_least = a.least(),
                    .a_steps = a.steps(),
                    .panels = b.panel(column),
                    .scales = b.scales() + column,
                    .sums = b.sums() + column,
                    .bias = start};
  };
  const auto whole = (columns.end - columns.begin) / kPanelWidth;
  multiply_panels(rows, whole, task_at(columns.begin, bias != nullptr ? bias + columns.begin : nullptr),
                  {out.data + columns.begin, out.stride});
  const auto column = columns.begin + whole * kPanelWidth;
  if (column == columns.end) {
    return;
  }
  std::array<float, kPanelWidth> start{};
  if (bias != nullptr) {
    std::copy_n(bias + column, columns.end - column, start.data());
  }
  for (std::int64_t row = 0; row < rows; row += kPanelRowsAtATime) {
    const auto count = std::min(kPanelRowsAtATime, rows - row);
    auto task = task_at(column, start.data());
    task.a = a.row(row);
    task.a_least += row;
    task.a_steps += row;
    in_whole_panel(count, columns.end - column, {out.data + row * out.stride + column, out.stride}, /*keep=*/false,
                   [&](const Rows& to) { multiply_panels(count, 1, task, to); });
  }
}

}  // namespace translate
