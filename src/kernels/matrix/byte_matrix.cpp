#include "kernels/matrix/byte_matrix.h"

#include <algorithm>
#include <array>

#include "kernels/exponential.h"
#include "kernels/matrix/int8_matrix.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/tile_avx512.h"

namespace translate {

namespace {

constexpr std::int64_t kBytes = 4;  // in a term
constexpr float kLargestWeight = 127.0F;
constexpr float kSteps = 255.0F;

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
    out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>((values[i] - least) * factor + 0.5F));
  }
}

/// The inputs of a product. Columns, scales, sums and bias start at the first column of the range.
struct Task {
  std::int64_t terms;
  const std::uint8_t* a;
  std::int64_t a_stride;
  const float* a_least;
  const float* a_steps;
  const std::int8_t* panels;
  const float* scales;
  const float* sums;
  const float* bias;  ///< null: none
};

#if TRANSLATE_HAS_AVX2_CODE

using namespace tile_avx512;

/// out (kRows, 16 kPanels) = a b + bias, from row `row` and panel `panel` on. With byte q of step s from the smallest
/// value l, and weights w of scale c, it is the sum of (l + s q) c w = c (s sum(q w) + l sum(w)).
struct MultiplyTile {
  template <int kRows, int kPanels>
  TRANSLATE_AVX512 static void run(const Task& task, std::int64_t row, std::int64_t panel, const Rows& out) {
    const auto to_next_panel = task.terms * kWidth;
    Sums<kRows, kPanels> sums;
    clear(sums);
    accumulate<ByteTerm>(task.terms, reinterpret_cast<const float*>(task.a + row * task.a_stride),
                         reinterpret_cast<const float*>(task.panels) + panel * to_next_panel,
                         {task.a_stride / kBytes, 1, to_next_panel, kWidth}, sums);
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
  const Task& task;
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

TRANSLATE_AVX512 void multiply_panels(std::int64_t rows, std::int64_t panels, const Task& task, const Rows& out) {
  for_panel_pairs(panels, MultiplyLoop{rows, task, out});
}

#else

void multiply_panels(std::int64_t, std::int64_t, const Task&, const Rows&) {}

#endif

}  // namespace

void ByteMatrix::resize(std::int64_t depth, std::int64_t columns) {
  depth_ = depth;
  columns_ = columns;
  const auto whole = static_cast<std::size_t>(whole_panels(columns));
  values_.resize(static_cast<std::size_t>(kBytes * terms()) * whole);
  scales_.assign(whole, 0.0F);
  sums_.assign(whole, 0.0F);
}

void ByteMatrix::set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count) {
  std::vector<std::int16_t> rounded(static_cast<std::size_t>(kBytes * terms()));
  for (std::int64_t i = 0; i < whole_panels(count); ++i) {
    const auto column = first + i;
    const float* from = i < count ? rows.data + i * rows.stride : nullptr;
    const float largest = from != nullptr ? largest_magnitude(from, depth_) : 0.0F;
    std::ranges::fill(rounded, std::int16_t{0});
    if (largest > 0.0F) {
      round_row(from, depth_, kLargestWeight / largest, rounded.data());
    }
    auto* values =
        values_.data() + column / kPanelWidth * kPanelWidth * kBytes * terms() + column % kPanelWidth * kBytes;
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < kBytes * terms(); ++k) {
      const auto value = rounded[static_cast<std::size_t>(k)];
      values[k / kBytes * kPanelWidth * kBytes + k % kBytes] = static_cast<std::int8_t>(value);
      sum += value;
    }
    scales_[static_cast<std::size_t>(column)] = largest / kLargestWeight;
    sums_[static_cast<std::size_t>(column)] = static_cast<float>(sum);
  }
}

void ByteRows::set(const ConstRows& rows, std::int64_t count, std::int64_t width) {
  stride_ = (width + kBytes - 1) / kBytes * kBytes;
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
    return Task{.terms = b.terms(),
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
