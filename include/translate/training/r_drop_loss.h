#pragma once

#include <ATen/core/Tensor.h>

#include "translate/training/loss.h"

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
                                        const at::Tensor& labels, const RDropSettings& settings);

}  // namespace translate
