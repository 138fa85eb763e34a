#pragma once

#include <ATen/core/Tensor.h>

#include "modules/sublayer_kernels.h"

namespace translate::trainer {

/// dropout(words(table[ids] * factor) + positions) in one operation, forward and backward, on the CPU in single
/// precision: `table` (V, d_model), `ids` (rows of the sentences) -> (rows, d_model). The gradient of the table is
/// dense. Its rows are added up in the order of the ids, so that it does not depend on the number of threads.
[[nodiscard]] at::Tensor fused_embedding(const at::Tensor& table, const at::Tensor& ids,
                                         const EmbeddingSettings& settings);

}  // namespace translate::trainer
