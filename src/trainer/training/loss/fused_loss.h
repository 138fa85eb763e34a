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
/// the target t is 1 - epsilon at the label, plus epsilon / V at every class, the label included. If teachers predict
/// classes k with probabilities r_k (Kim and Rush 2016, "Sequence-Level Knowledge Distillation", section 3.1), t is
/// that times 1 - lambda, plus lambda r_k at each k, plus lambda (1 - sum_k r_k) / V at every class. It sums to 1, so
/// that
///
///   plain    = -log p_y         = L - z_y
///   smoothed = -sum_i t_i log p_i = L - sum_i t_i z_i
///            = a plain + b (L - mean of z) + lambda sum_k r_k (L - z_k), where without teachers a = 1 - epsilon and
///              b = epsilon, and with them a = (1 - lambda) (1 - epsilon) and
///              b = (1 - lambda) epsilon + lambda (1 - sum_k r_k)
///   gradient of smoothed by z   = p - t.
///
/// R-Drop and SimCut predict each label twice, as p and as q, and penalise predictions that differ. With shares a and b
/// of the two, a + b = 1, and d = log p - log q:
///
///   smoothed    = a (smoothed of p) + b (smoothed of q)
///   divergence  = a KL(p, q) + b KL(q, p), where KL(p, q) = sum_i p_i d_i and KL(q, p) = -sum_i q_i d_i
///   regularised = smoothed + w divergence.
///
/// R-Drop (Liang et al. 2021, "R-Drop: Regularized Dropout for Neural Networks"): both passes have dropout of their
/// own, a = b = 1/2 and w = alpha / 2, which is half of the paper's sum, so that the loss and the norm of its gradient
/// are as large as with one pass. SimCut (Gao et al. 2022, "Bi-SimCut: A Simple Strategy for Boosting Neural Machine
/// Translation", equation 3): q comes from an input with some embeddings zeroed, a = 1, b = 0 and w = alpha; both
/// passes get gradients.
///
/// As the gradient of KL(p, q) by the logits of p is p (d - KL(p, q)), and that of KL(q, p) is p - q, the gradients are
///
///   by the logits of p: a (p - t) + w (a p (d - KL(p, q)) + b (p - q))
///   by the logits of q: b (q - t) + w (b q (-d - KL(q, p)) + a (q - p)).
///
/// The gradients of the inputs. Each loss has a gradient by the logits of the form G = C - s T, where a row of T is
/// a target, and a row's s is 1, or a or b with two passes. C needs the probabilities. T is as much everywhere but at a
/// few single classes, the label and those that teachers predict, so that it contributes with sums that are known
/// without any logits:
///
///   by the features: G W   = C W   - s T everywhere (sum of the rows of W) - (sum over single classes of s T times
///                            their rows of W)
///   by the weight:   G^T X = C^T X - (sum of s T everywhere times the rows of X) - (for each class, sum of s T times
///                            the rows of X in which it is a single one)
///   by the bias:     the same as by the weight, for x = 1.
[[nodiscard]] LossAndGradients fused_loss(const LossInputs& inputs, const LossSettings& settings,
                                          FactorType factor_type = FactorType::kFloat);

}  // namespace translate::trainer
