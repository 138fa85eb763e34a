#include <algorithm>

#include "core/processor.h"
#include "kernels/exponential.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/tile_avx512.h"
#include "kernels/matrix/tile_loops.h"

namespace translate {

#if TRANSLATE_HAS_AVX2_CODE

namespace {

using namespace tile_avx512;

/// out (kRows, 16 kPanels) = start + a b.
template <class Term>
struct MultiplyTile {
  template <int kRows, int kPanels>
  TRANSLATE_AVX512 static void run(std::int64_t terms, const float* left, const float* right,
                                   const Distances& distances, const Rows& out, const Start& start) {
    Sums<kRows, kPanels> sums;
    if (start.bias != nullptr) {
      load(start.bias, 0, sums);
    } else if (start.add) {
      load(out.data, out.stride, sums);
    } else {
      clear(sums);
    }
    accumulate<Term>(terms, left, right, distances, sums);
    store(sums, out.data, out.stride);
  }
};

template <class Term>
struct MultiplyLoop {
  std::int64_t rows;
  std::int64_t terms;
  const Strided& a;
  const Panels& b;
  const Rows& out;
  const Start& start;

  template <int kPanels>
  TRANSLATE_AVX512 void run(std::int64_t panel) const {
    const EvenTiles tiles(rows, kHeight);
    const Distances distances{a.row, a.depth, b.to_next, b.step};
    const Start from{start.bias != nullptr ? start.bias + panel * kWidth : nullptr, start.add};
    for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
      const auto row = tiles.begin(tile);
      const Rows to{out.data + row * out.stride + panel * kWidth, out.stride};
      with_rows<MultiplyTile<Term>, kPanels>(tiles.begin(tile + 1) - row, terms, a.data + row * a.row,
                                             b.first + panel * b.to_next, distances, to, from);
    }
  }
};

template <class Term>
TRANSLATE_AVX512 void multiply(std::int64_t rows, std::int64_t terms, const Strided& a, const Panels& b,
                               const Rows& out, const Start& start) {
  for_panel_pairs(b.count, MultiplyLoop<Term>{rows, terms, a, b, out, start});
}

/// out (kRows, 16 kPanels) += a b, where the rows of a are columns of panels.
template <class Term>
struct MultiplyColumnsTile {
  template <int kRows, int kPanels>
  TRANSLATE_AVX512 static void run(std::int64_t terms, const float* const* left, const float* right,
                                   std::int64_t to_next_panel, const Rows& out) {
    Sums<kRows, kPanels> sums;
    load(out.data, out.stride, sums);
    accumulate_columns<Term>(terms, left, right, to_next_panel, sums);
    store(sums, out.data, out.stride);
  }
};

template <class Term>
struct MultiplyColumnsLoop {
  std::int64_t rows;
  std::int64_t terms;
  const float* const* a;
  const Panels& b;
  const Rows& out;

  template <int kPanels>
  TRANSLATE_AVX512 void run(std::int64_t panel) const {
    for (std::int64_t row = 0; row < rows; row += kHeight) {
      const Rows to{out.data + row * out.stride + panel * kWidth, out.stride};
      with_rows<MultiplyColumnsTile<Term>, kPanels>(std::min<std::int64_t>(kHeight, rows - row), terms, a + row,
                                                    b.first + panel * b.to_next, b.to_next, to);
    }
  }
};

template <class Term>
TRANSLATE_AVX512 void multiply_columns(std::int64_t rows, std::int64_t terms, const float* const* a, const Panels& b,
                                       const Rows& out) {
  for_panel_pairs(b.count, MultiplyColumnsLoop<Term>{rows, terms, a, b, out});
}

/// Writes rows `row` to row + kRows of exponentials in single precision.
struct WriteFloats {
  template <int kRows, int kPanels>
  TRANSLATE_WIDE_TILE static void write(const Sums<kRows, kPanels>& sums, const ExponentialTask& task, std::int64_t row,
                                        std::int64_t panel) {
    store(sums, task.rows.data + row * task.rows.stride + panel * kWidth, task.rows.stride);
#pragma GCC unroll 12
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
      for (int j = 0; j < kPanels; ++j) {
        _mm512_storeu_ps(task.panels + (panel + j) * task.to_next_panel + (row + i) * kWidth, sums.at[i][j]);
      }
    }
  }
};

/// Writes them in bf16: neighbouring classes form a term of the rows, neighbouring rows a term of the panels.
struct WriteBfloat16 {
  template <int kRows, int kPanels>
  TRANSLATE_WIDE_TILE static void write(const Sums<kRows, kPanels>& sums, const ExponentialTask& task, std::int64_t row,
                                        std::int64_t panel) {
#pragma GCC unroll 6
    for (int i = 0; i < kRows; i += 2) {
#pragma GCC unroll 2
      for (int j = 0; j < kPanels; ++j) {
        const bool alone = i + 1 == kRows;
        const __m256i lower = (__m256i)_mm512_cvtneps_pbh(sums.at[i][j]);
        const __m256i upper =
            alone ? _mm256_setzero_si256() : (__m256i)_mm512_cvtneps_pbh(sums.at[alone ? i : i + 1][j]);
        float* terms = task.rows.data + (row + i) * task.rows.stride + (panel + j) * kWidth / 2;
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(terms), lower);
        if (!alone) {
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(terms + task.rows.stride), upper);
        }
        const __m512i high = _mm512_slli_epi32(_mm512_cvtepu16_epi32(upper), 16);
        _mm512_storeu_si512(task.panels + (panel + j) * task.to_next_panel + (row + i) / 2 * kWidth,
                            _mm512_or_si512(_mm512_cvtepu16_epi32(lower), high));
      }
    }
  }
};

/// Computes a tile of exponentials that begins at row `row` and panel `panel`.
template <class Term, class Write>
struct ExponentialTile {
  template <int kRows, int kPanels>
  TRANSLATE_AVX512 static void run(const ExponentialTask& task, std::int64_t row, std::int64_t panel) {
    float* logits = task.logits.data + row * task.logits.stride + panel * kWidth;
    Sums<kRows, kPanels> sums;
    if (task.is_first) {
      load(task.bias + panel * kWidth, 0, sums);
    } else {
      load(logits, task.logits.stride, sums);
    }
    accumulate<Term>(task.terms, task.left.data + row * task.left.stride, task.right.first + panel * task.right.to_next,
                     {task.left.stride, 1, task.right.to_next, task.right.step}, sums);
    if (!task.is_last) {
      return store(sums, logits, task.logits.stride);
    }
#pragma GCC unroll 12
    for (int i = 0; i < kRows; ++i) {
      const __m512 shift = _mm512_set1_ps(task.shifts[row + i]);
      float* lanes = task.lanes + (row + i) * kSumLanes;
      __m512 sum = _mm512_loadu_ps(lanes);
#pragma GCC unroll 2
      for (int j = 0; j < kPanels; ++j) {
        sums.at[i][j] = exponential(_mm512_sub_ps(sums.at[i][j], shift));
        sum = _mm512_add_ps(sum, sums.at[i][j]);
      }
      _mm512_storeu_ps(lanes, sum);
    }
    Write::write(sums, task, row, panel);
  }
};

template <class Term, class Write>
struct ExponentialLoop {
  std::int64_t rows;
  const ExponentialTask& task;

  template <int kPanels>
  TRANSLATE_AVX512 void run(std::int64_t panel) const {
    for (std::int64_t row = 0; row < rows; row += kHeight) {
      with_rows<ExponentialTile<Term, Write>, kPanels>(std::min<std::int64_t>(kHeight, rows - row), task, row, panel);
    }
  }
};

template <class Term, class Write>
TRANSLATE_AVX512 void exponentiate(std::int64_t rows, const ExponentialTask& task) {
  for_panel_pairs(task.right.count, ExponentialLoop<Term, Write>{rows, task});
}

}  // namespace

const TileLoops& avx512_tile_loops() {
  static constexpr TileLoops kLoops{multiply<FloatTerm>, multiply_columns<FloatTerm>,
                                    exponentiate<FloatTerm, WriteFloats>};
  return kLoops;
}

const TileLoops& bf16_tile_loops() {
  static constexpr TileLoops kLoops{multiply<Bfloat16Term>, multiply_columns<Bfloat16Term>,
                                    exponentiate<Bfloat16Term, WriteBfloat16>};
  return kLoops;
}

#else

const TileLoops& avx512_tile_loops() {
  static constexpr TileLoops kLoops{};
  return kLoops;
}
const TileLoops& bf16_tile_loops() { return avx512_tile_loops(); }

#endif

}  // namespace translate
