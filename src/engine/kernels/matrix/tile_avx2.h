#pragma once

#include <cstdint>

#include "core/processor.h"

#if TRANSLATE_HAS_AVX2_CODE
#include <immintrin.h>

/// The inner loops of the matrix kernels: tiles of up to 6 x 16 sums in twelve registers, to which two vectors of the
/// right factor and one value of the left one are added at a time, which fills all sixteen. Only for functions marked
/// TRANSLATE_AVX2.
namespace translate::tile_avx2 {

#define TRANSLATE_TILE TRANSLATE_AVX2 inline __attribute__((always_inline))

inline constexpr int kHeight = 6;  ///< rows
inline constexpr int kWidth = 16;  ///< columns

/// kRows x 16 sums.
template <int kRows>
struct Sums {
  __m256 at[kRows][2];
};

/// Loads the initial sums from rows of 16 values, `stride` apart.
template <int kRows>
TRANSLATE_TILE void load(const float* from, std::int64_t stride, Sums<kRows>& sums) {
#pragma GCC unroll 6
  for (int i = 0; i < kRows; ++i) {
    sums.at[i][0] = _mm256_loadu_ps(from + i * stride);
    sums.at[i][1] = _mm256_loadu_ps(from + i * stride + 8);
  }
}

template <int kRows>
TRANSLATE_TILE void clear(Sums<kRows>& sums) {
#pragma GCC unroll 6
  for (int i = 0; i < kRows; ++i) {
    sums.at[i][0] = _mm256_setzero_ps();
    sums.at[i][1] = _mm256_setzero_ps();
  }
}

template <int kRows>
TRANSLATE_TILE void store(const Sums<kRows>& sums, float* to, std::int64_t stride) {
#pragma GCC unroll 6
  for (int i = 0; i < kRows; ++i) {
    _mm256_storeu_ps(to + i * stride, sums.at[i][0]);
    _mm256_storeu_ps(to + i * stride + 8, sums.at[i][1]);
  }
}

/// Adds one term: row i gets x times the 16 values at `right`.
TRANSLATE_TILE void add_term(float const* x, const __m256& low, const __m256& high, __m256* sums) {
  const __m256 factor = _mm256_broadcast_ss(x);
  sums[0] = _mm256_fmadd_ps(factor, low, sums[0]);
  sums[1] = _mm256_fmadd_ps(factor, high, sums[1]);
}

/// Adds `depth` terms; the left factor's rows are `row` apart, its terms `step`, the right factor's `right_step`.
template <int kRows>
TRANSLATE_TILE void accumulate(std::int64_t depth, const float* left, std::int64_t row, std::int64_t step,
                               const float* right, std::int64_t right_step, Sums<kRows>& sums) {
  const float* first = left;
  const float* fourth = left + 3 * row;  // two bases, as addressing can scale a register by 1 and 2, but not by 3
  for (std::int64_t k = 0; k < depth; ++k) {
    const __m256 low = _mm256_loadu_ps(right);
    const __m256 high = _mm256_loadu_ps(right + 8);
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) {
      add_term(i < 3 ? first + i * row : fourth + (i - 3) * row, low, high, sums.at[i]);
    }
    first += step;
    fourth += step;
    right += right_step;
  }
}

/// The same for a left factor whose rows lie anywhere, with terms 16 apart as in the right factor: columns of panels.
template <int kRows>
TRANSLATE_TILE void accumulate_columns(std::int64_t depth, const float* const* left, const float* right,
                                       Sums<kRows>& sums) {
  const float* const r0 = left[0];
  const float* const r1 = left[1];
  const float* const r2 = left[2];
  const float* const r3 = left[3];
  const float* const r4 = left[4];
  const float* const r5 = left[5];
  for (std::int64_t k = 0; k < depth * kWidth; k += kWidth) {
    const __m256 low = _mm256_loadu_ps(right + k);
    const __m256 high = _mm256_loadu_ps(right + k + 8);
    add_term(r0 + k, low, high, sums.at[0]);
    if constexpr (kRows > 1) {
      add_term(r1 + k, low, high, sums.at[1]);
    }
    if constexpr (kRows > 2) {
      add_term(r2 + k, low, high, sums.at[2]);
    }
    if constexpr (kRows > 3) {
      add_term(r3 + k, low, high, sums.at[3]);
    }
    if constexpr (kRows > 4) {
      add_term(r4 + k, low, high, sums.at[4]);
    }
    if constexpr (kRows > 5) {
      add_term(r5 + k, low, high, sums.at[5]);
    }
  }
}

}  // namespace translate::tile_avx2

/// Calls `function`, a template over the number of rows, for `rows` from 1 to 6.
#define TRANSLATE_WITH_ROWS(rows, function, ...) \
  switch (rows) {                                \
    case 6:                                      \
      return function<6>(__VA_ARGS__);           \
    case 5:                                      \
      return function<5>(__VA_ARGS__);           \
    case 4:                                      \
      return function<4>(__VA_ARGS__);           \
    case 3:                                      \
      return function<3>(__VA_ARGS__);           \
    case 2:                                      \
      return function<2>(__VA_ARGS__);           \
    default:                                     \
      return function<1>(__VA_ARGS__);           \
  }

#endif
