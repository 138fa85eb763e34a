#include "kernels/matrix/polar_factor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/float_buffer.h"
#include "kernels/matrix/matrix_product.h"

namespace translate {

namespace {

constexpr std::int64_t kBandRows = 4 * kTileRows;  ///< rows of a symmetric product, computed from its diagonal on

/// Runs all five rounds on the smaller Gram matrix alone (size, size), so that the matrix itself is multiplied only
/// once, at the end. For R = X X^T and a round X' = P X with P = first + third R + fifth R^2, R' = P R P, and the
/// product Q of all P gives Q X. Every matrix here is a polynomial of R and therefore symmetric, so that half of each
/// product is enough.
class GramRounds {
 public:
  /// `gram` (size, size) must hold, in its upper part with the diagonal, the Gram matrix of x divided by x's norm.
  void run(std::int64_t size);

  /// Returns room for a matrix of (size, size) that run() reads and changes.
  float* gram(std::int64_t size) { return gram_.take(size * size); }
  /// Returns Q, which run() has made.
  [[nodiscard]] float* factor() const { return result_; }
  PackedMatrix& packed() { return packed_; }

 private:
  /// out = a b, all symmetric, where b is the matrix in packed_.
  void multiply_symmetric(std::int64_t size, const float* a, float* out) const;
  void pack_square(std::int64_t size, const float* matrix) { pack({matrix, size}, size, size, packed_); }

  FloatBuffer gram_;
  FloatBuffer square_;
  FloatBuffer step_;
  FloatBuffer factor_;
  float* result_ = nullptr;
  PackedMatrix packed_;
};

/// Copies the part above the diagonal to below it, in blocks, because one side is read across cache lines.
void mirror(std::int64_t size, float* matrix) {
  for (std::int64_t row = 0; row < size; row += kPanelWidth) {
    const auto row_end = std::min(row + kPanelWidth, size);
    for (std::int64_t column = 0; column <= row; column += kPanelWidth) {
      for (std::int64_t i = row; i < row_end; ++i) {
        for (std::int64_t j = column; j < std::min(column + kPanelWidth, i); ++j) {
          matrix[i * size + j] = matrix[j * size + i];
        }
      }
    }
  }
}

/// Calls band(begin, end, first column) for the bands of rows of a matrix, with columns from the panel of the diagonal
/// on.
template <class Band>
void for_bands(std::int64_t size, const Band& band) {
  for (std::int64_t begin = 0; begin < size; begin += kBandRows) {
    band(begin, std::min(begin + kBandRows, size), begin / kPanelWidth * kPanelWidth);
  }
}

void GramRounds::multiply_symmetric(std::int64_t size, const float* a, float* out) const {
  for_bands(size, [&](std::int64_t begin, std::int64_t end, std::int64_t column) {
    multiply_columns(end - begin, {a + begin * size, size}, packed_, {column, size}, {out + begin * size, size});
  });
  mirror(size, out);
}

void GramRounds::run(std::int64_t size) {
  float* gram = gram_.data();
  float* square = square_.take(size * size);
  float* step = step_.take(size * size);
  float* factor = factor_.take(size * size);
  mirror(size, gram);
  for (std::size_t round = 0; round < kPolarRounds.size(); ++round) {
    const auto& [first, third, fifth] = kPolarRounds[round];
    pack_square(size, gram);
    multiply_symmetric(size, gram, square);
    for (std::int64_t i = 0; i < size * size; ++i) {
      step[i] = third * gram[i] + fifth * square[i];
    }
    for (std::int64_t i = 0; i < size; ++i) {
      step[i * size + i] += first;
    }
    pack_square(size, step);
    if (round == 0) {
      std::copy_n(step, size * size, factor);
    } else {
      multiply_symmetric(size, factor, square);
      std::swap(factor, square);
    }
    if (round + 1 < kPolarRounds.size()) {
      multiply_symmetric(size, gram, square);
      multiply_symmetric(size, square, gram);
    }
  }
  result_ = factor;
}

/// Computes the upper part of x x^T (rows, rows).
void gram_of_rows(std::int64_t rows, std::int64_t columns, const ConstRows& x, PackedMatrix& packed, float* gram) {
  pack_transposed(x, rows, columns, packed);
  for_bands(rows, [&](std::int64_t begin, std::int64_t end, std::int64_t column) {
    multiply_columns(end - begin, {x.data + begin * x.stride, x.stride}, packed, {column, rows},
                     {gram + begin * rows, rows});
  });
}

/// Computes the upper part of x^T x (columns, columns).
void gram_of_columns(std::int64_t rows, std::int64_t columns, const ConstRows& x, PackedMatrix& packed, float* gram) {
  pack(x, rows, columns, packed);
  std::fill_n(gram, columns * columns, 0.0F);
  for_bands(columns, [&](std::int64_t begin, std::int64_t end, std::int64_t column) {
    multiply_transposed(packed, packed, {begin, end, column, columns}, {gram + begin * columns + column, columns});
  });
}

void scale(std::int64_t count, float by, float* values) {
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] *= by;
  }
}

}  // namespace

void polar_factor(std::int64_t rows, std::int64_t columns, const ConstRows& x, const Rows& out) {
  thread_local GramRounds rounds;
  const bool is_wide = rows <= columns;
  const auto size = std::min(rows, columns);
  float* gram = rounds.gram(size);
  (is_wide ? gram_of_rows : gram_of_columns)(rows, columns, x, rounds.packed(), gram);
  double squared_norm = 0.0;
  for (std::int64_t i = 0; i < size; ++i) {
    squared_norm += static_cast<double>(gram[i * size + i]);
  }
  if (squared_norm < kLeastSquaredNorm) {
    for (std::int64_t i = 0; i < rows; ++i) {
      std::fill_n(out.data + i * out.stride, columns, 0.0F);
    }
    return;
  }
  scale(size * size, static_cast<float>(1.0 / squared_norm), gram);
  rounds.run(size);
  scale(size * size, static_cast<float>(1.0 / std::sqrt(squared_norm)), rounds.factor());
  auto& packed = rounds.packed();
  if (is_wide) {
    pack(x, rows, columns, packed);
    multiply(rows, {rounds.factor(), size}, packed, out);
  } else {
    pack({rounds.factor(), size}, size, size, packed);
    multiply(rows, x, packed, out);
  }
}

}  // namespace translate
