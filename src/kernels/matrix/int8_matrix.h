#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/packed_matrix.h"

namespace translate {

/// Rounding of rows for integer products.

/// Returns the largest absolute value of `count` values, 0 if there are none.
[[nodiscard]] float largest_magnitude(const float* values, std::int64_t count);

/// out = values * factor, rounded to the nearest integer, which must fit 16 bits.
void round_row(const float* values, std::int64_t count, float factor, std::int16_t* out);

/// Products with weights of 8 bits, on one thread. Each column of the right factor is rounded to whole multiples of
/// 1/127 of its largest value. Each row of the left factor is rounded, when it is used, to 16 bits, which loses so
/// little that the precision of the weights alone limits that of the result. The sums are integers, and therefore
/// exact. A multiply-add of two 16-bit pairs does twice the work of one in single precision, and the weights take a
/// quarter of the memory. Requires has_vector_kernels().

/// The right-hand factor, depth x columns.
class Int8Matrix {
 public:
  /// Makes room; the values are then unspecified.
  void resize(std::int64_t depth, std::int64_t columns);

  /// Sets columns [first, first + count) from the rows of a matrix, rounded, as PackedMatrix::set_columns does. `first`
  /// must be a multiple of kPanelWidth.
  void set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count);

  [[nodiscard]] std::int64_t depth() const { return depth_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  /// The memory of the factor in bytes.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(values_.size() + scales_.size() * sizeof(float));
  }
  /// Returns a panel of 16 columns, in a block of depths that starts at `block`, a multiple of kDepthBlock: for each
  /// pair of terms the two values of column 0, those of column 1, and so on. If the depth is odd, the last pair ends in
  /// zeros.
  [[nodiscard]] const std::int8_t* panel(std::int64_t block, std::int64_t column) const {
    return values_.data() + panel_offset(block, column);
  }
  /// Returns the factors of the columns' values; zero beyond the last column of a panel.
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
  /// Rounds `count` rows of `width` values, which must be finite. A row of zeros stays zero.
  void set(const ConstRows& rows, std::int64_t count, std::int64_t width);

  [[nodiscard]] const std::int16_t* row(std::int64_t index) const { return values_.data() + index * stride_; }
  [[nodiscard]] std::int64_t stride() const { return stride_; }
  /// Returns the factors of the rows' values.
  [[nodiscard]] const float* scales() const { return scales_.data(); }

 private:
  std::int64_t stride_ = 0;
  std::vector<std::int16_t> values_;
  std::vector<float> scales_;
};

/// out (rows, columns of the range) = a b + bias (one value per column, or null), as multiply_columns.
void multiply_int8(std::int64_t rows, const Int16Rows& a, const Int8Matrix& b, const ColumnRange& columns,
                   const Rows& out, const float* bias = nullptr);

}  // namespace translate
