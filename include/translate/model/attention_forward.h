#pragma once

#include <ATen/core/Tensor.h>

#include "translate/model/attention_frame.h"
#include "translate/model/fused_residual.h"

namespace translate {

/// What the forward pass gives and the backward pass needs.
struct AttentionPass {
  at::Tensor output;     ///< (rows of queries, d)
  at::Tensor query;      ///< projected
  at::Tensor key_value;  ///< projected: (rows of keys, 2 d)
  at::Tensor joined;     ///< the heads concatenated: what w_o reads
};

/// The sub-layer forward: rows of x in `residual`, `memory` (rows of keys, d), or undefined where settings.of_self.
[[nodiscard]] AttentionPass run_attention_forward(FusedResidual& residual, const AttentionProjections& projections,
                                                  const AttentionSettings& settings, const at::Tensor& memory);

}  // namespace translate
