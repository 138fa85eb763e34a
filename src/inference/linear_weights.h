#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "kernels/matrix/byte_matrix.h"
#include "kernels/matrix/int8_matrix.h"
#include "kernels/matrix/packed_matrix.h"

namespace translate {

/// How weights are kept.
enum class WeightFormat {
  kFloat,     ///< single precision
  kInt8,      ///< 8 bits, see kernels/byte_matrix.h and int8_matrix.h; keys and values are then kept in 16
  kBfloat16,  ///< bf16, where has_bf16_kernels() holds; keys and values are kept in 16 bits, too
};

/// A matrix of floats, row by row.
struct MatrixView {
  const float* values;
  std::int64_t rows;
  std::int64_t columns;
};

/// One or several linear layers that read the same input, laid out once for the matrix kernels: x W^T + b.
class LinearWeights {
 public:
  LinearWeights() = default;
  /// `weights`: one or more (out, in), whose outputs then stand side by side; `bias`: (all outputs), or empty for none.
  LinearWeights(std::span<const MatrixView> weights, std::vector<float> bias, WeightFormat format);

  /// to (rows, outputs) = from (rows, in) W^T + b. A row's result does not depend on the others. Where few rows meet
  /// a large matrix, whose weights take longest to come from memory, all threads share in it.
  void apply(std::int64_t rows, const ConstRows& from, const Rows& to) const;

 private:
  std::variant<PackedMatrix, Int8Matrix, ByteMatrix> weight_;
  std::vector<float> bias_;  // empty: none
};

}  // namespace translate
