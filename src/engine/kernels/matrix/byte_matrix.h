#pragma once

#include <cstdint>
#include <vector>

#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/packed_matrix.h"

namespace translate {

/// Products in which both factors have 8 bits, on one thread: with AVX-512 VNNI four multiply-adds in the time of one
/// in single precision. Each column of the right factor is rounded to whole multiples of 1/127 of its largest value;
/// without VNNI of 1/127 of the largest sum of two neighbouring values as well, because then sums of two products must
/// fit 16 bits. Each row of the left factor is rounded, when it is used, to 255 equal steps from its smallest to
/// its largest value. The sums are integers, and therefore exact.

/// The right-hand factor, depth x columns.
class ByteMatrix {
 public:
  /// Makes room; the values are then unspecified. If the depth is below 2^16, all sums fit 32 bits.
  void resize(std::int64_t depth, std::int64_t columns);

  /// Sets columns [first, first + count) from the rows of a matrix, rounded, as PackedMatrix::set_columns does. `first`
  /// must be a multiple of kPanelWidth.
  void set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count);

  /// As PackedMatrix::copy_terms and set_terms. Behind the terms of a column are its factor and its sum.
  void copy_terms(std::int64_t column, float* terms) const;
  void set_terms(const ConstRows& rows, std::int64_t first, std::int64_t count);
  [[nodiscard]] std::int64_t column_terms() const { return terms() + 2; }

  [[nodiscard]] std::int64_t depth() const { return depth_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  /// The memory of the factor in bytes.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(values_.size() + (scales_.size() + sums_.size()) * sizeof(float));
  }
  /// Returns the number of terms of a column: four values each, the last term filled up with zeros.
  [[nodiscard]] std::int64_t terms() const { return (depth_ + 3) / 4; }
  /// Returns a panel of 16 columns: for each term the four values of column 0, those of column 1, and so on.
  [[nodiscard]] const std::int8_t* panel(std::int64_t column) const { return values_.data() + column * 4 * terms(); }
  /// Returns the factors of the columns' values; zero beyond the last column of a panel.
  [[nodiscard]] const float* scales() const { return scales_.data(); }
  /// Returns the sums of the columns' values.
  [[nodiscard]] const float* sums() const { return sums_.data(); }

 private:
  std::int64_t depth_ = 0;
  std::int64_t columns_ = 0;
  std::vector<std::int8_t> values_;
  std::vector<float> scales_;
  std::vector<float> sums_;
};

/// Rows of a left factor, with value = least + step * byte.
class ByteRows {
 public:
  /// Rounds `count` rows of `width` values, which must be finite.
  void set(const ConstRows& rows, std::int64_t count, std::int64_t width);

  [[nodiscard]] const std::uint8_t* row(std::int64_t index) const { return values_.data() + index * stride_; }
  [[nodiscard]] std::int64_t stride() const { return stride_; }  ///< in bytes: whole terms
  [[nodiscard]] const float* least() const { return least_.data(); }
  [[nodiscard]] const float* steps() const { return steps_.data(); }

 private:
  std::int64_t stride_ = 0;
  std::vector<std::uint8_t> values_;
  std::vector<float> least_;
  std::vector<float> steps_;
};

/// out (rows, columns of the range) = a b + bias (one value per column, or null), as multiply_columns.
void multiply_bytes(std::int64_t rows, const ByteRows& a, const ByteMatrix& b, const ColumnRange& columns,
                    const Rows& out, const float* bias = nullptr);

}  // namespace translate
