#pragma once

#include <ATen/core/Tensor.h>

namespace translate::trainer {

/// The states of the recursion c_t = g_t c_(t-1) + (1 - g_t) u_t, with c_(-1) = 0, by LibTorch's operators: `gate` and
/// `candidate` (batch, T, d) -> (batch, T, d). A pass over the positions would need T operations one
/// after the other, so that the pairs (g_t, (1 - g_t) u_t) of neighbours are joined to those of 2, 4, 8, ... positions
/// instead (the scan of Hillis and Steele 1986): about log2 T operations, in which no position looks at a later one.
/// The backward pass is the same scan from the end, and only gates, candidates and states are kept for it.
[[nodiscard]] at::Tensor recurrence(const at::Tensor& gate, const at::Tensor& candidate);

}  // namespace translate::trainer
