#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/dropout_mask.h"
#include "kernels/matrix/matrix_rows.h"
#include "modules/feed_forward_block.h"
#include "modules/masks.h"
#include "modules/multi_head_attention_block.h"
#include "modules/recurrent_unit.h"
#include "modules/residual_connection.h"
#include "tensors/unpadded_layout.h"

namespace translate::trainer {

/// The settings by which rows of an embedding table become the input of the first layer.
struct EmbeddingSettings {
  double factor = 1.0;     ///< multiplies the table's rows
  std::int64_t zero = -1;  ///< the id that has the zero vector, or -1
  at::Tensor positions;    ///< (padded length, d_model), added after scaling; or undefined. Gets no gradient
  DropoutMask words;       ///< drops whole rows of the table: one element per position
  DropoutMask dropout;     ///< applied to the sum
  UnpaddedLayoutPointer sentences;
};

/// Another way than the modules' to compute the parts of a Transformer, forward and backward, on unpadded rows on the
/// CPU, in single precision. An ExecutionContext hands one down. Results and gradients agree with the modules' within
/// rounding, and dropout masks are drawn in the same order.
class SublayerKernels {
 public:
  SublayerKernels() = default;
  virtual ~SublayerKernels() = default;
  SublayerKernels(const SublayerKernels&) = delete;
  SublayerKernels& operator=(const SublayerKernels&) = delete;

  /// residual(x, attention): x (rows of the pattern's queries, d_model) -> the same shape. The block attends to
  /// `memory` (rows of the pattern's keys, d_model), or, if that is undefined, to its own input. The pattern must be
  /// unpadded. `factor_type`: the type to which the factors of the matrix products are rounded.
  [[nodiscard]] virtual at::Tensor attention(const ResidualConnectionImpl& residual,
                                             const MultiHeadAttentionBlock& block, const at::Tensor& x,
                                             const at::Tensor& memory, const AttentionPattern& pattern,
                                             FactorType factor_type) const = 0;

  /// residual(x, unit): (rows of `sentences`, d_model) -> the same shape.
  [[nodiscard]] virtual at::Tensor recurrent_unit(const ResidualConnectionImpl& residual, const RecurrentUnit& unit,
                                                  const at::Tensor& x, const UnpaddedLayoutPointer& sentences,
                                                  FactorType factor_type) const = 0;

  /// residual(x, feed_forward): (rows of `sentences`, d_model) -> the same shape.
  [[nodiscard]] virtual at::Tensor feed_forward(const ResidualConnectionImpl& residual, const FeedForwardBlock& block,
                                                const at::Tensor& x, const UnpaddedLayoutPointer& sentences,
                                                FactorType factor_type) const = 0;

  /// dropout(words(table[ids] * factor) + positions): `table` (V, d_model), `ids` (rows of the sentences; kCutId has
  /// the zero vector) -> (rows, d_model). The gradient of the table is dense.
  [[nodiscard]] virtual at::Tensor embedding(const at::Tensor& table, const at::Tensor& ids,
                                             const EmbeddingSettings& settings) const = 0;
};

}  // namespace translate::trainer
