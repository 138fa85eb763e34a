#pragma once

#include <cstdint>

#include "kernels/float_buffer.h"
#include "kernels/matrix/matrix_rows.h"

namespace translate {

/// Rounding to bf16, to nearest and ties to even; denormal numbers become zero.

/// Rounds a row of `count` values to terms_of(count) terms.
void round_to_terms(const float* from, std::int64_t count, float* terms);

/// Rounds two rows of `panels` times 16 values, `upper` the deeper one, to one row of terms of a right factor's panels,
/// which lie `to_next` apart. If one row is null, its half of the terms stays as it is.
void round_to_panels(const float* lower, const float* upper, std::int64_t panels, float* terms, std::int64_t to_next);

/// Returns the left factor of a product: `count` rows of `width` values as terms of `type`, stored in `scratch`.
[[nodiscard]] ConstRows left_terms(FactorType type, const ConstRows& rows, std::int64_t count, std::int64_t width,
                                   FloatBuffer& scratch);

inline constexpr std::int64_t kPanelWidth = 16;   ///< columns of a panel
inline constexpr std::int64_t kDepthBlock = 256;  ///< a panel of this depth stays in the first-level cache

/// `n` rounded up to whole panels.
[[nodiscard]] constexpr std::int64_t whole_panels(std::int64_t n) {
  return (n + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
}

/// The right-hand factor of products, depth x columns, in the order in which they read it: blocks of kDepthBlock rows,
/// and in each block panels of kPanelWidth columns, the last one filled up with zeros. In bf16 a row of a panel holds
/// the terms of two rows of the factor (see FactorType).
class PackedMatrix {
 public:
  explicit PackedMatrix(FactorType type = FactorType::kFloat) : type_(type) {}

  /// Makes room; the values are then unspecified.
  void resize(std::int64_t depth, std::int64_t columns);

  /// Sets columns [first, first + count) from the rows of a matrix: column first + i is row i of `rows` (a weight of
  /// torch::nn::Linear, (out, in), used as x W^T). `first` must be a multiple of kPanelWidth.
  void set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count);
  /// Sets `count` rows of the factor, from row `first` on.
  void set_rows(std::int64_t first, std::int64_t count, const ConstRows& rows);

  /// Writes the terms of a column one after the other, column_terms() of them.
  void copy_terms(std::int64_t column, float* terms) const;
  /// Sets columns [first, first + count) from such copies of columns of another factor with this depth and type, a row
  /// each. `first` must be a multiple of kPanelWidth.
  void set_terms(const ConstRows& rows, std::int64_t first, std::int64_t count);
  [[nodiscard]] std::int64_t column_terms() const { return terms_of(depth_, type_); }

  [[nodiscard]] FactorType type() const { return type_; }
  [[nodiscard]] std::int64_t depth() const { return depth_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  /// The memory of the factor in bytes.
  [[nodiscard]] std::int64_t bytes() const { return size() * static_cast<std::int64_t>(sizeof(float)); }
  /// Returns the panel with column `column` in the block of depths that starts at `block`, a multiple of kDepthBlock.
  [[nodiscard]] float* panel(std::int64_t block, std::int64_t column) const;
  /// Returns the number of terms in the block of depths that starts at `block`.
  [[nodiscard]] std::int64_t block_terms(std::int64_t block) const;
  /// Returns the distance from a panel of that block to the next: a cache line more than its terms, because with
  /// distances that are powers of two the rows of all panels would compete for one set of the cache.
  [[nodiscard]] std::int64_t to_next_panel(std::int64_t block) const { return kPanelWidth * (block_terms(block) + 1); }

 private:
  /// The number of floats in all panels, with the cache line behind each.
  [[nodiscard]] std::int64_t size() const;
  /// Sets row `term` of the panels of a block from one row of the factor, or in bf16 from two. If one of the two is
  /// null, its half stays as it is.
  void set_term_row(const float* lower, const float* upper, std::int64_t block, std::int64_t term);

  FactorType type_;
  std::int64_t depth_ = 0;
  std::int64_t columns_ = 0;
  FloatBuffer values_;
};

/// Packs `weight` (out, in), `stride` floats a row, as the right-hand factor of x W^T, on all threads.
void pack_transposed(const ConstRows& weight, std::int64_t out, std::int64_t in, PackedMatrix& packed);
/// Packs `weight` (depth, columns) as the right-hand factor of y W, on all threads.
void pack(const ConstRows& weight, std::int64_t depth, std::int64_t columns, PackedMatrix& packed);

/// Writes `count` rows (at most kPanelWidth) of `width` floats as one panel: out[i * 16 + r] = rows[r][i], zero for
/// r >= count.
void transpose_to_panel(const ConstRows& rows, std::int64_t count, std::int64_t width, float* out);

}  // namespace translate
