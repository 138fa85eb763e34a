#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/dropout_mask.h"
#include "model/modules/masks.h"

namespace translate {

/// How rows of an embedding table become the input of the first layer.
struct EmbeddingSettings {
  double factor = 1.0;   ///< of the table's rows
  at::Tensor positions;  ///< (padded length, d_model), added after it; or undefined. Gets no gradient
  DropoutMask words;     ///< of whole rows of the table: one element a position
  DropoutMask dropout;   ///< of the sum
  UnpaddedSentencesPointer sentences;
};

/// dropout(words(table[ids] * factor) + positions) in one operation, forward and backward, on the CPU in single
/// precision: `table` (V, d_model), `ids` (rows of the sentences) -> (rows, d_model). The gradient of the table is
/// dense, its rows added up in the order of the ids whatever the number of threads.
[[nodiscard]] at::Tensor fused_embedding(const at::Tensor& table, const at::Tensor& ids,
                                         const EmbeddingSettings& settings);

}  // namespace translate
