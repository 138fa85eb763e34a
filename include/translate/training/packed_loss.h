#pragma once

#include <ATen/core/Tensor.h>

#include "translate/kernels/factor_type.h"
#include "translate/training/loss.h"

namespace translate {

/// A loss and the gradients of its smoothed sum.
struct LossAndGradients {
  LossSums sums;
  at::Tensor features;  ///< (N, d_model)
  at::Tensor weight;    ///< (V, d_model)
  at::Tensor bias;      ///< (V)
};

/// projected_cross_entropy and its backward pass in one go, by this project's matrix kernels: the weights are packed
/// once, and a thread takes a few rows from the features through logits, softmax and loss to the gradient of the
/// features; then all threads add the block's share to the weights' gradient. No more than some megabytes of logits
/// exist at a time. Single precision, contiguous, on a CPU that has_vector_kernels(); the result does not depend on the
/// number of threads. `products`: what the factors of the matrix products are rounded to; the label's logit, and with
/// it the loss, is always in single precision.
[[nodiscard]] LossAndGradients packed_loss(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                                           const at::Tensor& labels, double smoothing,
                                           FactorType products = FactorType::kFloat);

}  // namespace translate
