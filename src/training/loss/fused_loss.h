#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/matrix/matrix_rows.h"
#include "kernels/matrix/packed_matrix.h"
#include "training/loss/loss.h"

namespace translate {

/// The gradients of a projection's weight (classes, width) and bias (classes) as sums over blocks of rows: of
/// exponentials or gradients by logits, transposed, times the projection's inputs, each with a 1 for the bias beside
/// it. Kept in panels of classes, as the products write them.
class ClassGradients {
 public:
  static constexpr std::int64_t kClassesAtATime = 8 * kPanelWidth;  ///< what a thread takes

  /// Zeros.
  ClassGradients(std::int64_t classes, std::int64_t width);

  /// Adds a block of rows: `inputs` (rows, width + 1), `by_logits` (rows, classes). On all threads.
  void add(const PackedMatrix& inputs, const PackedMatrix& by_logits);

  /// The sums of a class: width + 1 values, kPanelWidth apart.
  [[nodiscard]] const float* of_class(std::int64_t index) const;

 private:
  std::int64_t classes_;
  std::int64_t width_;
  at::Tensor sums_;  // panels of classes, (width + 1) x 16 each
};

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
[[nodiscard]] LossAndGradients fused_loss(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                                          const at::Tensor& labels, double smoothing,
                                          FactorType products = FactorType::kFloat);

}  // namespace translate
