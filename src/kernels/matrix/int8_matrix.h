#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/packed_matrix.h"

namespace translate {

/// Rounding of rows for products of whole numbers.

/// The largest absolute value of `count`, 0 of none.
[[nodiscard]] float largest_magnitude(const float* values, std::int64_t count);

/// out = values * factor, rounded to the nearest whole number, which must fit 16 bits.
void round_row(const float* values, std::int64_t count, float factor, std::int16_t* out);

/// Products with weights of 8 bits, for one thread: each column of the right factor is rounded to whole multiples of a
/// 127th of its largest value, each row of the left factor, when it comes, to 16 bits, of which so little is lost that
/// the weights alone decide how good a result is. The sums are whole numbers, and so exact. A multiply-add of two
/// 16-bit pairs does twice the work of one in single precision, and the weights take a quarter of the memory. Only
/// where has_vector_kernels() holds.

/// The right-hand factor, depth x columns.
class Int8Matrix {
 public:
  /// Makes room; the values are then anything.
  void resize(std::int64_t depth, std::int64_t columns);

  /// Takes columns [first, first + count) from a matrix that holds them as rows, rounding them, as
  /// PackedMatrix::set_columns. `first` must be a multiple of kPanelWidth.
  void set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count);

  [[nodiscard]] std::int64_t depth() const { return depth_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  /// A panel of 16 columns, in a block of depths that starts at `block`, a multiple of kDepthBlock: for each pair of
  /// terms the two values of column 0, those of column 1, and so on. Of an odd depth the last pair ends in zeros.
  [[nodiscard]] const std::int8_t* panel(std::int64_t block, std::int64_t column) const {
    return values_.data() + panel_offset(block, column);
  }
  /// What the values of a column are multiplied by; zero beyond the last column of its panel.
  [[nodiscard]] const float* scales() const { return scales_.data(); }

 private:
  [[nodiscard]] std::int64_t panel_offset(std::int64_t block, std::int64_t column) const;

  std::int64_t depth_ = 0;
  std::int64_t columns_ = 0;
  std::vector<std::int8_t> values_;
  std::vector<float> scales_;
};

/// Rows of a left factor in 16 bits.
class Int16Rows {
 public:
  /// Rounds `count` rows of `width` values. A row of zeros stays one; values must be finite.
  void set(const ConstRows& rows, std::int64_t count, std::int64_t width);

  [[nodiscard]] const std::int16_t* row(std::int64_t index) const { return values_.data() + index * stride_; }
  [[nodiscard]] std::int64_t stride() const { return stride_; }
  /// What a row's values are multiplied by.
  [[nodiscard]] const float* scales() const { return scales_.data(); }

 private:
  std::int64_t stride_ = 0;
  std::vector<std::int16_t> values_;
  std::vector<float> scales_;
};

/// out (rows, columns of the range) = a b + bias (one value a column, or null), as multiply_columns.
void multiply_int8(std::int64_t rows, const Int16Rows& a, const Int8Matrix& b, const ColumnRange& columns,
                   const Rows& out, const float* bias = nullptr);

}  // namespace translate
