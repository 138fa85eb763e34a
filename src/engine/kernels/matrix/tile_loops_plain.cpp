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

namespace translate {

namespace {

// Plain arithmetic for every processor. The sums of a tile of 2 x 16 are written as vectors of four, a type that GCC
// and Clang have for all processors, because GCC 12 does not keep arrays of them in registers.

using Floats [[gnu::vector_size(16)]] = float;
using Bits [[gnu::vector_size(16)]] = std::uint32_t;

constexpr std::size_t kLanes = 4;
constexpr std::size_t kVectors = kPanelWidth / kLanes;
constexpr std::int64_t kHeight = 2;  ///< rows

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
  static void add(float left, const Floats& right, Floats& sum) { sum += left * right; }

  /// Writes the row of exponentials `row` of the panel that begins at column `column` to the task's rows and `panel`.
  static void write(const Row& values, const ExponentialTask& task, std::int64_t row, std::int64_t column,
                    float* panel) {
    std::ranges::copy(values, task.rows.data + row * task.rows.stride + column);
    std::ranges::copy(values, panel + row * kPanelWidth);
  }
};

/// Terms of two bf16 numbers: neighbouring classes in the rows of exponentials, neighbouring rows in their panels.
struct Bfloat16Term {
  static void add(float left, const Floats& right, Floats& sum) {
    constexpr std::uint32_t kUpper = 0xffff0000U;
    constexpr std::uint32_t kHalf = 16;
    const auto bits = std::bit_cast<Bits>(right);
    sum += lower_bfloat16(left) * std::bit_cast<Floats>(bits << kHalf);
    sum += upper_bfloat16(left) * std::bit_cast<Floats>(bits & kUpper);
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
void accumulate(std::int64_t terms, const std::array<const float*, kRows>& left, std::int64_t step, const float* right,
                std::int64_t right_step, Sums<kRows>& into) {
  Sums<kRows> sums = into;
  for (std::int64_t k = 0; k < terms; ++k) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kVectors; ++i) {
      Floats values;
      std::memcpy(&values, right + k * right_step + i * kLanes, sizeof(values));
#pragma GCC unroll 2
      for (std::size_t row = 0; row < kRows; ++row) {
        Term::add(left[row][k * step], values, sums[row][i]);
      }
    }
  }
  into = sums;
}

/// Calls tile.run<2 or 1 rows>(first row) for rows [0, count), in pairs as long as there are two.
template <class Tile>
void for_row_pairs(std::int64_t count, const Tile& tile) {
  std::int64_t row = 0;
  for (; row + kHeight <= count; row += kHeight) {
    tile.template run<2>(row);
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
    for_row_pairs(rows, MultiplyTile<Term>{terms,
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
    for_row_pairs(rows, MultiplyColumnsTile<Term>{
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
    for_row_pairs(rows, ExponentialTile<Term>{task, panel});
  }
}

}  // namespace

const TileLoops& plain_tile_loops(FactorType type) {
  static constexpr TileLoops kFloat{multiply<FloatTerm>, multiply_columns<FloatTerm>, exponentiate<FloatTerm>};
  static constexpr TileLoops kBfloat16{multiply<Bfloat16Term>, multiply_columns<Bfloat16Term>,
                                       exponentiate<Bfloat16Term>};
  return type == FactorType::kBfloat16 ? kBfloat16 : kFloat;
}

}  // namespace translate
