#pragma once

#include <ATen/core/Tensor.h>

#include "translate/kernels/factor_type.h"
#include "translate/training/r_drop_loss.h"

namespace translate {

/// Sums of an R-Drop loss (divergence and regularised included), and the gradients of what is minimised.
struct RDropGradients {
  LossSums sums;
  at::Tensor features;  ///< (2 N, d_model)
  at::Tensor weight;    ///< (V, d_model)
  at::Tensor bias;      ///< (V)
};

/// projected_r_drop and its backward pass in one go, by this project's matrix kernels, as packed_loss is for one pass:
/// a thread takes a few pairs of rows from the features through logits and losses to the gradient of the features; then
/// all threads add the block's share to the weights' gradient. Single precision, contiguous, on a CPU that
/// has_vector_kernels(); the result does not depend on the number of threads. `products`: what the factors of the
/// matrix products are rounded to.
[[nodiscard]] RDropGradients packed_r_drop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                                           const at::Tensor& labels, const RDropSettings& settings,
                                           FactorType products = FactorType::kFloat);

}  // namespace translate
