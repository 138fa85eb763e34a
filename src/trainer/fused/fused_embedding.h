#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/dropout_mask.h"
#include "tensors/unpadded_layout.h"

namespace translate {

/// The settings by which rows of an embedding table become the input of the first layer.
struct EmbeddingSettings {
  double factor = 1.0;     ///< multiplies the table's rows
  std::int64_t zero = -1;  ///< the id that has the zero vector, or -1
  at::Tensor positions;    ///< (padded length, d_model), added after scaling; or undefined. Gets no gradient
  DropoutMask words;       ///< drops whole rows of the table: one element per position
  DropoutMask dropout;     ///< applied to the sum
  UnpaddedLayoutPointer sentences;
};

/// dropout(words(table[ids] * factor) + positions) in one operation, forward and backward, on the CPU in single
/// precision: `table` (V, d_model), `ids` (rows of the sentences) -> (rows, d_model). The gradient of the table is
/// dense. Its rows are added up in the order of the ids, so that it does not depend on the number of threads.
[[nodiscard]] at::Tensor fused_embedding(const at::Tensor& table, const at::Tensor& ids,
                                         const EmbeddingSettings& settings);

}  // namespace translate
