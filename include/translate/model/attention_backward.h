#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "translate/model/attention_frame.h"
#include "translate/model/fused_residual.h"

namespace translate {

/// What the backward pass starts from.
struct AttentionBackwardInput {
  at::Tensor memory;
  at::Tensor joined;
  at::Tensor slope;  ///< gradient of the output
};

/// Gradients of x, memory (undefined where settings.of_self), alpha, bias, the four weights and the four biases
/// (undefined where the block has none). Of `projections` the weights are needed, and whether there are biases.
[[nodiscard]] std::vector<at::Tensor> run_attention_backward(const FusedResidual& residual,
                                                             const AttentionProjections& projections,
                                                             const AttentionFrame& frame,
                                                             const AttentionBackwardInput& input);

}  // namespace translate
