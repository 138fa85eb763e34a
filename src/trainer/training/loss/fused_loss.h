#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/matrix/matrix_rows.h"
#include "training/loss/loss.h"

namespace translate::trainer {

/// A loss and the gradients of its minimised sum.
struct LossAndGradients {
  LossSums sums;
  at::Tensor features;  ///< of the shape of LossInputs::features
  at::Tensor weight;    ///< (V, d_model)
  at::Tensor bias;      ///< (V)
};

/// projected_loss and its backward pass at once, by this project's matrix kernels, for a block of labels at a time, so
/// that only some megabytes of logits exist at any time. Tensors are contiguous and in single precision, on a CPU.
/// The result does not depend on the number of threads. The factors of the matrix
/// products are rounded to `factor_type`; the label's logit is always computed in single precision.
///
/// The loss. A row of features x predicts the label y among V classes with the logits z = W x + b, the normaliser
/// L = log sum_i e^(z_i) and the probabilities p = e^(z - L). With label smoothing epsilon, in PyTorch's convention,
/// the target t is 1 - epsilon at the label, plus epsilon / V at every class, the label included. It sums to 1, so that
///
///   plain    = -log p_y         = L - z_y
///   smoothed = -sum_i t_i log p_i = L - sum_i t_i z_i = (1 - epsilon) plain + epsilon (L - mean of z)
///   gradient of smoothed by z   = p - t.
///
/// R-Drop (Liang et al. 2021, "R-Drop: Regularized Dropout for Neural Networks") predicts each label twice, with
/// different dropout, as p and as q, and penalises predictions that differ. For d = log p - log q:
///
///   smoothed    = (smoothed of p + smoothed of q) / 2
///   divergence  = (KL(p, q) + KL(q, p)) / 2, where KL(p, q) = sum_i p_i d_i and KL(q, p) = -sum_i q_i d_i
///   regularised = smoothed + w divergence, where w = alpha / 2
///
/// which is half of the paper's sum, so that the loss and the norm of its gradient are as large as without R-Drop. As
/// the gradient of KL(p, q) by the logits of p is p (d - KL(p, q)), and that of KL(q, p) is p - q, the gradients are
///
///   by the logits of p: (p - t) / 2 + w / 2 (p (d - KL(p, q)) + p - q)
///   by the logits of q: (q - t) / 2 - w / 2 (q (d + KL(q, p)) + p - q).
///
/// The gradients of the inputs. Both losses have a gradient by the logits of the form G = C - s T, where a row of T is
/// a target, and s is 1, or 1/2 for R-Drop. C needs the probabilities. T is epsilon / V everywhere and 1 - epsilon at
/// the labels, so that it contributes with sums that are known without any logits:
///
///   by the features: G W   = C W   - s epsilon / V (sum of the rows of W) - s (1 - epsilon) (the label's row of W)
///   by the weight:   G^T X = C^T X - s epsilon / V (sum of the rows of X) - s (1 - epsilon) (sum of the label's
///                            rows of X)
///   by the bias:     the same as by the weight, for x = 1.
[[nodiscard]] LossAndGradients fused_loss(const LossInputs& inputs, const LossSettings& settings,
                                          FactorType factor_type = FactorType::kFloat);

}  // namespace translate::trainer
