#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/bfloat16.h"
#include "kernels/exponential.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/tile_loops.h"

#if TRANSLATE_HAS_NEON_CODE
#include <arm_neon.h>
#endif

namespace translate {

namespace {

// Plain arithmetic for every processor. The sums of a tile of 2 x 16 (4 x 16 on ARM64, which has twice as many
// registers as SSE2) are written as vectors of four, a type that GCC and Clang have for all processors, because GCC 12
// does not keep arrays of them in registers.

using Floats [[gnu::vector_size(16)]] = float;
using Bits [[gnu::vector_size(16)]] = std::uint32_t;

constexpr std::size_t kLanes = 4;
constexpr std::size_t kVectors = kPanelWidth / kLanes;
constexpr std::int64_t kHeight = TRANSLATE_HAS_NEON_CODE ? 4 : 2;  ///< rows

/// kRows x 16 sums.
template <int kRows>
using Sums = std::array<std::array<Floats, kVectors>, kRows>;

/// The sums of one row.
using Row = std::array<float, kPanelWidth>;

template <int kRows>
void load(const float* from, std::int64_t stride, Sums<kRows>& sums) {
  for (auto& row : sums) {
    std::memcpy(row.data(), from, sizeof(row));
    from += stride;
  }
}

template <int kRows>
void store(const Sums<kRows>& sums, float* to, std::int64_t stride) {
  for (const auto& row : sums) {
    std::memcpy(to, row.data(), sizeof(row));
    to += stride;
  }
}

/// Terms in single precision.
struct FloatTerm {
  static constexpr bool kInMatrices = false;  ///< whether the processor multiplies small matrices of such terms

  static void add(float left, const Floats& right, Floats& sum) {
#if TRANSLATE_HAS_NEON_CODE
    sum = vfmaq_n_f32(sum, right, left);
#else
    sum += left * right;
#endif
  }

  /// Writes the row of exponentials `row` of the panel that begins at column `column` to the task's rows and `panel`.
  static void write(const Row& values, const ExponentialTask& task, std::int64_t row, std::int64_t column,
                    float* panel) {
    std::ranges::copy(values, task.rows.data + row * task.rows.stride + column);
    std::ranges::copy(values, panel + row * kPanelWidth);
  }
};

/// Terms of two bf16 numbers: neighbouring classes in the rows of exponentials, neighbouring rows in their panels.
struct Bfloat16Term {
  static constexpr bool kInMatrices = false;

  static void add(float left, const Floats& right, Floats& sum) {
    constexpr std::uint32_t kUpper = 0xffff0000U;
    constexpr std::uint32_t kHalf = 16;
    const auto bits = std::bit_cast<Bits>(right);
    FloatTerm::add(lower_bfloat16(left), std::bit_cast<Floats>(bits << kHalf), sum);
    FloatTerm::add(upper_bfloat16(left), std::bit_cast<Floats>(bits & kUpper), sum);
  }

  static void write(const Row& values, const ExponentialTask& task, std::int64_t row, std::int64_t column,
                    float* panel) {
    float* to = task.rows.data + row * task.rows.stride + column / 2;
    float* terms = panel + row / 2 * kPanelWidth;
    for (std::size_t i = 0; i < values.size(); i += 2) {
      to[i / 2] = bfloat16_term(bfloat16_bits(values[i]), bfloat16_bits(values[i + 1]));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto bits = bfloat16_bits(values[i]);
      terms[i] = row % 2 == 0 ? bfloat16_term(bits, 0) : bfloat16_term(std::bit_cast<std::uint32_t>(terms[i]), bits);
    }
  }
};

/// Adds `terms` terms: row i of the left factor has its own at left[i], `step` apart; the right factor's are
/// `right_step` apart.
template <class Term, int kRows>
  requires(!Term::kInMatrices)
void accumulate(std::int64_t terms, const std::array<const float*, kRows>& left, std::int64_t step, const float* right,
                std::int64_t right_step, Sums<kRows>& into) {
  Sums<kRows> sums = into;
  for (std::int64_t k = 0; k < terms; ++k) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kVectors; ++i) {
      Floats values;
      std::memcpy(&values, right + k * right_step + i * kLanes, sizeof(values));
#pragma GCC unroll 4
      for (std::size_t row = 0; row < kRows; ++row) {
        Term::add(left[row][k * step], values, sums[row][i]);
      }
    }
  }
  into = sums;
}

#if TRANSLATE_HAS_NEON_CODE

/// Terms of two bf16 numbers, by the processor's products of 2 x 4 and 4 x 2 (BFMMLA).
struct Bfloat16MatrixTerm : Bfloat16Term {
  static constexpr bool kInMatrices = true;
};

/// The same for these terms: two of them, in a pair of rows and a pair of columns, at a time. A last row has zeros
/// beside it, and so has a last term.
template <class Term, int kRows>
  requires Term::kInMatrices
TRANSLATE_ARM_BF16 void accumulate(std::int64_t terms, const std::array<const float*, kRows>& left, std::int64_t step,
                                   const float* right, std::int64_t right_step, Sums<kRows>& into) {
  constexpr std::size_t kPairs = (kRows + 1) / 2;
  constexpr std::size_t kColumnPairs = 2 * kVectors;
  float32x4_t tiles[kPairs][kColumnPairs];  // row 0, columns 0 and 1; row 1, columns 0 and 1
  const auto sums_of = [&](std::size_t row, std::size_t i) {
    return row < kRows ? vreinterpretq_f64_f32(into[row][i]) : vdupq_n_f64(0.0);
  };
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    for (std::size_t i = 0; i < kVectors; ++i) {
      const float64x2_t first = sums_of(2 * pair, i);
      const float64x2_t second = sums_of(2 * pair + 1, i);
      tiles[pair][2 * i] = vreinterpretq_f32_f64(vzip1q_f64(first, second));
      tiles[pair][2 * i + 1] = vreinterpretq_f32_f64(vzip2q_f64(first, second));
    }
  }
  for (std::int64_t k = 0; k < terms; k += 2, right += 2 * right_step) {
    const bool is_whole = k + 1 < terms;
    bfloat16x8_t values[kColumnPairs];
    for (std::size_t i = 0; i < kVectors; ++i) {
      const float32x4_t first = vld1q_f32(right + i * kLanes);
      const float32x4_t second = is_whole ? vld1q_f32(right + right_step + i * kLanes) : vdupq_n_f32(0.0F);
      values[2 * i] = vreinterpretq_bf16_f32(vzip1q_f32(first, second));
      values[2 * i + 1] = vreinterpretq_bf16_f32(vzip2q_f32(first, second));
    }
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      float32x4_t row_pair = vdupq_n_f32(0.0F);
      row_pair = vsetq_lane_f32(left[2 * pair][k * step], row_pair, 0);
      row_pair = is_whole ? vsetq_lane_f32(left[2 * pair][(k + 1) * step], row_pair, 1) : row_pair;
      if (2 * pair + 1 < kRows) {
        row_pair = vsetq_lane_f32(left[2 * pair + 1][k * step], row_pair, 2);
        row_pair = is_whole ? vsetq_lane_f32(left[2 * pair + 1][(k + 1) * step], row_pair, 3) : row_pair;
      }
      for (std::size_t i = 0; i < kColumnPairs; ++i) {
        tiles[pair][i] = vbfmmlaq_f32(tiles[pair][i], vreinterpretq_bf16_f32(row_pair), values[i]);
      }
    }
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0; i < kVectors; ++i) {
      const auto first = vreinterpretq_f64_f32(tiles[row / 2][2 * i]);
      const auto second = vreinterpretq_f64_f32(tiles[row / 2][2 * i + 1]);
      into[row][i] = vreinterpretq_f32_f64(row % 2 == 0 ? vzip1q_f64(first, second) : vzip2q_f64(first, second));
    }
  }
}

#endif

/// Calls tile.run<1 to kHeight rows>(first row) for rows [0, count).
template <class Tile>
void for_row_tiles(std::int64_t count, const Tile& tile) {
  std::int64_t row = 0;
  for (; row + kHeight <= count; row += kHeight) {
    tile.template run<kHeight>(row);
  }
  if constexpr (kHeight > 2) {
    if (row + 2 <= count) {
      tile.template run<2>(row);
      row += 2;
    }
  }
  if (row < count) {
    tile.template run<1>(row);
  }
}

/// Returns the addresses of kRows rows, `stride` apart.
template <int kRows>
std::array<const float*, kRows> rows_from(const float* first, std::int64_t stride) {
  std::array<const float*, kRows> rows{};
  for (auto& row : rows) {
    row = std::exchange(first, first + stride);
  }
  return rows;
}

template <class Term>
struct MultiplyTile {
  std::int64_t terms;
  const Strided& a;
  const float* right;
  std::int64_t right_step;
  Rows out;
  Start start;

  template <int kRows>
  void run(std::int64_t row) const {
    Sums<kRows> sums{};
    float* to = out.data + row * out.stride;
    if (start.bias != nullptr) {
      load<kRows>(start.bias, 0, sums);
    } else if (start.add) {
      load<kRows>(to, out.stride, sums);
    }
    accumulate<Term, kRows>(terms, rows_from<kRows>(a.data + row * a.row, a.row), a.depth, right, right_step, sums);
    store<kRows>(sums, to, out.stride);
  }
};

template <class Term>
void multiply(std::int64_t rows, std::int64_t terms, const Strided& a, const Panels& b, const Rows& out,
              const Start& start) {
  for (std::int64_t panel = 0; panel < b.count; ++panel) {
    const auto column = panel * kPanelWidth;
    for_row_tiles(rows, MultiplyTile<Term>{terms,
                                           a,
                                           b.first + panel * b.to_next,
                                           b.step,
                                           {out.data + column, out.stride},
                                           {start.bias != nullptr ? start.bias + column : nullptr, start.add}});
  }
}

template <class Term>
struct MultiplyColumnsTile {
  std::int64_t terms;
  const float* const* a;
  const float* right;
  Rows out;

  template <int kRows>
  void run(std::int64_t row) const {
    std::array<const float*, kRows> left{};
    std::copy_n(a + row, kRows, left.begin());
    Sums<kRows> sums;
    float* to = out.data + row * out.stride;
    load<kRows>(to, out.stride, sums);
    accumulate<Term, kRows>(terms, left, kPanelWidth, right, kPanelWidth, sums);
    store<kRows>(sums, to, out.stride);
  }
};

template <class Term>
void multiply_columns(std::int64_t rows, std::int64_t terms, const float* const* a, const Panels& b, const Rows& out) {
  for (std::int64_t panel = 0; panel < b.count; ++panel) {
    for_row_tiles(rows, MultiplyColumnsTile<Term>{
                            terms, a, b.first + panel * b.to_next, {out.data + panel * kPanelWidth, out.stride}});
  }
}

template <class Term>
struct ExponentialTile {
  const ExponentialTask& task;
  std::int64_t panel;

  template <int kRows>
  void run(std::int64_t row) const {
    const auto column = panel * kPanelWidth;
    float* logits = task.logits.data + row * task.logits.stride + column;
    Sums<kRows> sums;
    load<kRows>(task.is_first ? task.bias + column : logits, task.is_first ? 0 : task.logits.stride, sums);
    accumulate<Term, kRows>(task.terms, rows_from<kRows>(task.left.data + row * task.left.stride, task.left.stride), 1,
                            task.right.first + panel * task.right.to_next, task.right.step, sums);
    if (!task.is_last) {
      return store<kRows>(sums, logits, task.logits.stride);
    }
    for (std::int64_t i = 0; i < kRows; ++i) {
      Row values = std::bit_cast<Row>(sums[static_cast<std::size_t>(i)]);
      float* lanes = task.lanes + (row + i) * kSumLanes;
      const float shift = task.shifts[row + i];
#pragma omp simd
      for (std::size_t lane = 0; lane < values.size(); ++lane) {
        values[lane] = exponential(values[lane] - shift);
        lanes[lane] += values[lane];
      }
      Term::write(values, task, row + i, column, task.panels + panel * task.to_next_panel);
    }
  }
};

template <class Term>
void exponentiate(std::int64_t rows, const ExponentialTask& task) {
  for (std::int64_t panel = 0; panel < task.right.count; ++panel) {
    for_row_tiles(rows, ExponentialTile<Term>{task, panel});
  }
}

}  // namespace

const TileLoops& plain_tile_loops(FactorType type) {
  static constexpr TileLoops kFloat{multiply<FloatTerm>, multiply_columns<FloatTerm>, exponentiate<FloatTerm>};
  static constexpr TileLoops kBfloat16{multiply<Bfloat16Term>, multiply_columns<Bfloat16Term>,
                                       exponentiate<Bfloat16Term>};
#if TRANSLATE_HAS_NEON_CODE
  static constexpr TileLoops kMatrices{multiply<Bfloat16MatrixTerm>, multiply_columns<Bfloat16MatrixTerm>,
                                       exponentiate<Bfloat16MatrixTerm>};
  if (type == FactorType::kBfloat16 && has_bf16_kernels()) {
    return kMatrices;
  }
#endif
  return type == FactorType::kBfloat16 ? kBfloat16 : kFloat;
}

}  // namespace translate
