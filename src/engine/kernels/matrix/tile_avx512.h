#pragma once

#include <cstdint>

#include "core/processor.h"

#if TRANSLATE_HAS_AVX2_CODE
#include <immintrin.h>

/// Tiles of up to 12 rows by two panels of 16 sums in 24 of the 32 registers, to which a vector of each panel and one
/// term of each row are added at a time. Only for functions marked TRANSLATE_AVX512.
namespace translate::tile_avx512 {

#define TRANSLATE_WIDE_TILE TRANSLATE_AVX512 inline __attribute__((always_inline))

inline constexpr int kHeight = 12;  ///< rows
inline constexpr int kWidth = 16;   ///< columns of a panel

/// Terms in single precision.
struct FloatTerm {
  TRANSLATE_WIDE_TILE static void add(const float* left, __m512 right, __m512& sum) {
    sum = _mm512_fmadd_ps(_mm512_set1_ps(*left), right, sum);
  }
};

/// Terms of two bf16 numbers, stored as floats of which only the bits are used.
struct Bfloat16Term {
  TRANSLATE_WIDE_TILE static void add(const float* left, __m512 right, __m512& sum) {
    sum = _mm512_dpbf16_ps(sum, (__m512bh)right, (__m512bh)_mm512_set1_ps(*left));
  }
};

/// Terms of four bytes, unsigned on the left and signed on the right, whose sums are 32-bit integers in the place of
/// floats; requires has_vnni_kernels(). In assembly, because GCC 12 copies sums for its own intrinsic.
struct ByteTerm {
  using Bits [[gnu::may_alias]] = float;
  TRANSLATE_WIDE_TILE static void add(const float* left, __m512 right, __m512& sum) {
    const __m512 both = _mm512_set1_ps(*static_cast<const Bits*>(left));
    asm("vpdpbusd %[right], %[left], %[sum]" : [sum] "+v"(sum) : [left] "v"(both), [right] "v"(right));
  }
};

/// kRows x (kPanels x 16) sums.
template <int kRows, int kPanels>
struct Sums {
  __m512 at[kRows][kPanels];
};

/// Loads the initial sums from rows of values, `stride` apart.
template <int kRows, int kPanels>
TRANSLATE_WIDE_TILE void load(const float* from, std::int64_t stride, Sums<kRows, kPanels>& sums) {
#pragma GCC unroll 12
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < kPanels; ++j) {
      sums.at[i][j] = _mm512_loadu_ps(from + i * stride + j * kWidth);
    }
  }
}

template <int kRows, int kPanels>
TRANSLATE_WIDE_TILE void clear(Sums<kRows, kPanels>& sums) {
#pragma GCC unroll 12
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < kPanels; ++j) {
      sums.at[i][j] = _mm512_setzero_ps();
    }
  }
}

template <int kRows, int kPanels>
TRANSLATE_WIDE_TILE void store(const Sums<kRows, kPanels>& sums, float* to, std::int64_t stride) {
#pragma GCC unroll 12
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < kPanels; ++j) {
      _mm512_storeu_ps(to + i * stride + j * kWidth, sums.at[i][j]);
    }
  }
}

/// One vector of each panel.
template <int kPanels>
struct Right {
  __m512 at[kPanels];
};

template <int kPanels>
TRANSLATE_WIDE_TILE Right<kPanels> right_terms(const float* from, std::int64_t to_next_panel) {
  Right<kPanels> right;
#pragma GCC unroll 2
  for (int j = 0; j < kPanels; ++j) {
    right.at[j] = _mm512_loadu_ps(from + j * to_next_panel);
  }
  return right;
}

template <class Term, int kPanels>
TRANSLATE_WIDE_TILE void add_term(const float* left, const Right<kPanels>& right, __m512* sums) {
#pragma GCC unroll 2
  for (int j = 0; j < kPanels; ++j) {
    Term::add(left, right.at[j], sums[j]);
  }
}

/// Distances between neighbours.
struct Distances {
  std::int64_t left_row;
  std::int64_t left_step;  ///< to the next term
  std::int64_t to_next_panel;
  std::int64_t right_step;
};

/// Adds `terms` terms.
template <class Term, int kRows, int kPanels>
TRANSLATE_WIDE_TILE void accumulate(std::int64_t terms, const float* left, const float* right,
                                    const Distances& distances, Sums<kRows, kPanels>& sums) {
  // The address of every third row, as addressing can scale a register by 1 and 2, but not by 3.
  const auto row = distances.left_row;
  const float* bases[4] = {left, left + 3 * row, left + 6 * row, left + 9 * row};
  for (std::int64_t k = 0; k < terms; ++k) {
    const auto vectors = right_terms<kPanels>(right, distances.to_next_panel);
#pragma GCC unroll 12
    for (int i = 0; i < kRows; ++i) {
      add_term<Term>(bases[i / 3] + i % 3 * row, vectors, sums.at[i]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      bases[i] += distances.left_step;
    }
    right += distances.right_step;
  }
}

/// The same for a left factor of columns of panels: rows 4 i to 4 i + 3 stand side by side from left[4 i] on, with
/// terms 16 apart as in the right factor.
template <class Term, int kRows, int kPanels>
TRANSLATE_WIDE_TILE void accumulate_columns(std::int64_t terms, const float* const* left, const float* right,
                                            std::int64_t to_next_panel, Sums<kRows, kPanels>& sums) {
  const float* const bases[3] = {left[0], left[kRows > 4 ? 4 : 0], left[kRows > 8 ? 8 : 0]};
  for (std::int64_t k = 0; k < terms * kWidth; k += kWidth) {
    const auto vectors = right_terms<kPanels>(right + k, to_next_panel);
#pragma GCC unroll 12
    for (int i = 0; i < kRows; ++i) {
      add_term<Term>(bases[i / 4] + i % 4 + k, vectors, sums.at[i]);
    }
  }
}

/// Calls tile<kRows, kPanels>(...) of a class of tiles for `rows` from 1 to 12.
template <class Tile, int kPanels, int kRows = kHeight, class... Arguments>
TRANSLATE_WIDE_TILE void with_rows(std::int64_t rows, const Arguments&... arguments) {
  if constexpr (kRows > 1) {
    if (rows != kRows) {
      return with_rows<Tile, kPanels, kRows - 1>(rows, arguments...);
    }
  }
  Tile::template run<kRows, kPanels>(arguments...);
}

/// Calls tile.run<1 or 2 panels>(first panel) for panels [0, count), in pairs as long as there are two.
template <class Loop>
TRANSLATE_WIDE_TILE void for_panel_pairs(std::int64_t count, const Loop& loop) {
  std::int64_t panel = 0;
  for (; panel + 2 <= count; panel += 2) {
    loop.template run<2>(panel);
  }
  if (panel < count) {
    loop.template run<1>(panel);
  }
}

}  // namespace translate::tile_avx512

#endif
