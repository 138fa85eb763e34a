#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/matrix/matrix_rows.h"
#include "training/loss/loss.h"

namespace translate {

/// The loss of R-Drop (Liang et al. 2021, "R-Drop: Regularized Dropout for Neural Networks"): labels are predicted
/// twice, with different dropout, and predictions that differ cost something. For each label
///   regularised = smoothed + alpha / 2 * divergence,
/// smoothed being the mean of both cross entropies and divergence the mean of KL(p, q) and KL(q, p): half of the
/// paper's sum, so that a loss, and the norm of its gradient, are what they are without R-Drop.
struct RDropSettings {
  double smoothing = 0.0;  ///< epsilon of label smoothing
  double alpha = 0.0;      ///< the paper's: 5 for translation

  /// What the divergence is multiplied by.
  [[nodiscard]] double weight() const { return 0.5 * alpha; }
};

/// The loss of logits (2 N, V) for labels (N): rows i and N + i predict label i. Written in plain operators: the
/// definition that projected_r_drop is held against.
[[nodiscard]] LossSums r_drop(const at::Tensor& logits, const at::Tensor& labels, const RDropSettings& settings);

/// The same of features * weight^T + bias, projection included: features (2 N, d_model), weight (V, d_model), bias (V),
/// labels (N). On the CPU in blocks with their gradients at once, so that no tensor of all labels and classes is ever
/// whole; elsewhere as r_drop. Under autocast the products are bf16.
[[nodiscard]] LossSums projected_r_drop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                                        const at::Tensor& labels, const RDropSettings& settings,
                                        const ExecutionContext& context = {});

/// Sums of an R-Drop loss (divergence and regularised included), and the gradients of what is minimised.
struct RDropGradients {
  LossSums sums;
  at::Tensor features;  ///< (2 N, d_model)
  at::Tensor weight;    ///< (V, d_model)
  at::Tensor bias;      ///< (V)
};

/// projected_r_drop and its backward pass in one go, by this project's matrix kernels, as fused_loss is for one pass:
/// a thread takes a few pairs of rows from the features through logits and losses to the gradient of the features; then
/// all threads add the block's share to the weights' gradient. Single precision, contiguous, on a CPU that
/// has_vector_kernels(); the result does not depend on the number of threads. `products`: what the factors of the
/// matrix products are rounded to.
[[nodiscard]] RDropGradients fused_r_drop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                                          const at::Tensor& labels, const RDropSettings& settings,
                                          FactorType products = FactorType::kFloat);

}  // namespace translate
