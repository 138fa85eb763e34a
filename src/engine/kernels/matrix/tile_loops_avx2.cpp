#include "core/processor.h"
#include "kernels/exponential.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/tile_avx2.h"
#include "kernels/matrix/tile_loops.h"

namespace translate {

#if TRANSLATE_HAS_AVX2_CODE

namespace {

using namespace tile_avx2;

constexpr int kVector = 8;  // numbers in a vector

/// Computes one tile: out (kRows, 16) = start + a b.
template <int kRows>
TRANSLATE_TILE void multiply_tile(std::int64_t depth, const Strided& a, const float* b, std::int64_t b_step,
                                  const Rows& out, const Start& start) {
  Sums<kRows> sums;
  if (start.bias != nullptr) {
    load(start.bias, 0, sums);
  } else if (start.add) {
    load(out.data, out.stride, sums);
  } else {
    clear(sums);
  }
  accumulate(depth, a.data, a.row, a.depth, b, b_step, sums);
  store(sums, out.data, out.stride);
}

TRANSLATE_AVX2 void multiply_part(std::int64_t rows, std::int64_t depth, const Strided& a, const float* b,
                                  std::int64_t b_step, const Rows& out, const Start& start) {
  TRANSLATE_WITH_ROWS(rows, multiply_tile, depth, a, b, b_step, out, start);
}

TRANSLATE_AVX2 void multiply(std::int64_t rows, std::int64_t terms, const Strided& a, const Panels& b, const Rows& out,
                             const Start& start) {
  const EvenTiles tiles(rows, kHeight);
  for (std::int64_t panel = 0; panel < b.count; ++panel) {
    const float* right = b.first + panel * b.to_next;
    const Start from{start.bias != nullptr ? start.bias + panel * kWidth : nullptr, start.add};
    for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
      const auto row = tiles.begin(tile);
      multiply_part(tiles.begin(tile + 1) - row, terms, {a.data + row * a.row, a.row, a.depth}, right, b.step,
                    {out.data + row * out.stride + panel * kWidth, out.stride}, from);
    }
  }
}

template <int kRows>
TRANSLATE_TILE void multiply_columns_tile(std::int64_t depth, const float* const* a, const float* panel,
                                          const Rows& out) {
  Sums<kRows> sums;
  load(out.data, out.stride, sums);
  accumulate_columns(depth, a, panel, sums);
  store(sums, out.data, out.stride);
}

TRANSLATE_AVX2 void multiply_columns_part(std::int64_t rows, std::int64_t depth, const float* const* a,
                                          const float* panel, const Rows& out) {
  TRANSLATE_WITH_ROWS(rows, multiply_columns_tile, depth, a, panel, out);
}

TRANSLATE_AVX2 void multiply_columns(std::int64_t rows, std::int64_t terms, const float* const* a, const Panels& b,
                                     const Rows& out) {
  for (std::int64_t panel = 0; panel < b.count; ++panel) {
    const float* right = b.first + panel * b.to_next;
    const Rows to{out.data + panel * kWidth, out.stride};
    std::int64_t row = 0;
    for (; row + kHeight <= rows; row += kHeight) {
      multiply_columns_tile<kHeight>(terms, a + row, right, {to.data + row * to.stride, to.stride});
    }
    if (row < rows) {
      multiply_columns_part(rows - row, terms, a + row, right, {to.data + row * to.stride, to.stride});
    }
  }
}

/// Computes the exponentials of one tile, which begins at row `row` and belongs to panel `panel`.
template <int kRows>
TRANSLATE_TILE void exponential_tile(const ExponentialTask& task, std::int64_t row, std::int64_t panel) {
  const auto column = panel * kWidth;
  Sums<kRows> sums;
  if (task.is_first) {
    load(task.bias + column, 0, sums);
  } else {
    load(task.logits.data + row * task.logits.stride + column, task.logits.stride, sums);
  }
  accumulate(task.terms, task.left.data + row * task.left.stride, task.left.stride, 1,
             task.right.first + panel * task.right.to_next, task.right.step, sums);
  if (!task.is_last) {
    return store(sums, task.logits.data + row * task.logits.stride + column, task.logits.stride);
  }
#pragma GCC unroll 6
  for (int i = 0; i < kRows; ++i) {
    const __m256 shift = _mm256_broadcast_ss(task.shifts + row + i);
    float* lanes = task.lanes + (row + i) * kSumLanes;
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      sums.at[i][half] = exponential(_mm256_sub_ps(sums.at[i][half], shift));
      _mm256_storeu_ps(lanes + half * kVector,
                       _mm256_add_ps(_mm256_loadu_ps(lanes + half * kVector), sums.at[i][half]));
    }
  }
  store(sums, task.rows.data + row * task.rows.stride + column, task.rows.stride);
  store(sums, task.panels + panel * task.to_next_panel + row * kWidth, kWidth);
}

TRANSLATE_AVX2 void exponentiate_part(std::int64_t rows, const ExponentialTask& task, std::int64_t row,
                                      std::int64_t panel) {
  TRANSLATE_WITH_ROWS(rows, exponential_tile, task, row, panel);
}

TRANSLATE_AVX2 void exponentiate(std::int64_t rows, const ExponentialTask& task) {
  for (std::int64_t panel = 0; panel < task.right.count; ++panel) {
    std::int64_t row = 0;
    for (; row + kHeight <= rows; row += kHeight) {
      exponential_tile<kHeight>(task, row, panel);
    }
    if (row < rows) {
      exponentiate_part(rows - row, task, row, panel);
    }
  }
}

}  // namespace

const TileLoops& avx2_tile_loops() {
  static constexpr TileLoops kLoops{multiply, multiply_columns, exponentiate};
  return kLoops;
}

#else

const TileLoops& avx2_tile_loops() {
  static constexpr TileLoops kLoops{};
  return kLoops;
}

#endif

}  // namespace translate
