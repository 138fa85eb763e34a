#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "kernels/matrix/byte_matrix.h"
#include "kernels/matrix/packed_matrix.h"

namespace translate {

/// The storage format of weights.
enum class WeightFormat {
  kFloat,     ///< single precision
  kInt8,      ///< 8 bits, and so are activations (kernels/byte_matrix.h); keys and values are then kept in 16 bits
  kBfloat16,  ///< bf16; keys and values are kept in 16 bits, too
};

/// A row-major matrix of floats.
struct MatrixView {
  const float* values;
  std::int64_t rows;
  std::int64_t columns;
};

/// One or several linear layers that read the same input, packed once for the matrix kernels: x W^T + b.
class LinearWeights {
 public:
  LinearWeights() = default;
  /// `weights`: one or more (out, in), whose outputs are concatenated; `bias`: (all outputs), or empty for none.
  LinearWeights(std::span<const MatrixView> weights, std::vector<float> bias, WeightFormat format);

  /// Computes to (rows, outputs) = from (rows, in) W^T + b. The result of a row does not depend on the other rows. If
  /// few rows meet a large matrix, whose weights dominate the time to load, all threads share the work.
  void apply(std::int64_t rows, const ConstRows& from, const Rows& to) const;

  /// The number of outputs.
  [[nodiscard]] std::int64_t outputs() const;

  /// The memory of weights and bias, in bytes.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  friend class OutputTable;

  std::variant<PackedMatrix, ByteMatrix> weight_;
  std::vector<float> bias_;  // empty: none
};

}  // namespace translate
