#pragma once

#include <cstdint>
#include <vector>

#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/packed_matrix.h"

namespace translate {

/// Products in which both factors have 8 bits, for one thread: four multiply-adds where single precision does one. Each
/// column of the right factor is rounded to whole multiples of a 127th of its largest value, each row of the left one,
/// when it comes, to 255 equal steps from its least to its largest value. Sums are whole numbers, and so exact.
/// Only where has_vnni_kernels() holds; elsewhere int8_matrix.h does what comes closest.

/// The right-hand factor, depth x columns.
class ByteMatrix {
 public:
  /// Makes room; the values are then anything. Of a depth below 2^16 all sums fit 32 bits.
  void resize(std::int64_t depth, std::int64_t columns);

  /// Takes columns [first, first + count) from a matrix that holds them as rows, rounding them, as
  /// PackedMatrix::set_columns. `first` must be a multiple of kPanelWidth.
  void set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count);

  [[nodiscard]] std::int64_t depth() const { return depth_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  /// Terms of a column: four values each, the last one filled up with zeros.
  [[nodiscard]] std::int64_t terms() const { return (depth_ + 3) / 4; }
  /// A panel of 16 columns: for each term the four values of column 0, those of column 1, and so on.
  [[nodiscard]] const std::int8_t* panel(std::int64_t column) const { return values_.data() + column * 4 * terms(); }
  /// What the values of a column are multiplied by; zero beyond the last column of its panel.
  [[nodiscard]] const float* scales() const { return scales_.data(); }
  /// The sum of a column's values.
  [[nodiscard]] const float* sums() const { return sums_.data(); }

 private:
  std::int64_t depth_ = 0;
  std::int64_t columns_ = 0;
  std::vector<std::int8_t> values_;
  std::vector<float> scales_;
  std::vector<float> sums_;
};

/// Rows of a left factor: value = least + step * byte.
class ByteRows {
 public:
  /// Rounds `count` rows of `width` values, which must be finite.
  void set(const ConstRows& rows, std::int64_t count, std::int64_t width);

  [[nodiscard]] const std::uint8_t* row(std::int64_t index) const { return values_.data() + index * stride_; }
  [[nodiscard]] std::int64_t stride() const { return stride_; }  ///< bytes: whole terms
  [[nodiscard]] const float* least() const { return least_.data(); }
  [[nodiscard]] const float* steps() const { return steps_.data(); }

 private:
  std::int64_t stride_ = 0;
  std::vector<std::uint8_t> values_;
  std::vector<float> least_;
  std::vector<float> steps_;
};

/// out (rows, columns of the range) = a b + bias (one value a column, or null), as multiply_columns.
void multiply_bytes(std::int64_t rows, const ByteRows& a, const ByteMatrix& b, const ColumnRange& columns,
                    const Rows& out, const float* bias = nullptr);

}  // namespace translate
