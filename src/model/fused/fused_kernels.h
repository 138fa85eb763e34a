#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/matrix/matrix_rows.h"

namespace translate {

/// While one lives, the sub-layers of a model that this thread runs forward in training compute with the fused kernels
/// of this project where these apply (fused_kernels_apply), instead of one LibTorch operator after the other; their
/// results and gradients are the same within rounding, dropout masks included.
class FusedKernels {
 public:
  explicit FusedKernels(bool enabled);
  ~FusedKernels();
  FusedKernels(const FusedKernels&) = delete;
  FusedKernels& operator=(const FusedKernels&) = delete;

 private:
  bool before_;
};

/// True where a FusedKernels lives and the fused kernels know how to continue from `x`: single precision on a CPU that
/// has_vector_kernels() (under autocast: has_bf16_kernels()), gradients wanted, no observer of stages.
[[nodiscard]] bool fused_kernels_apply(const at::Tensor& x);

/// What fused kernels round the factors of matrix products to: bf16 under autocast, else nothing. All that lies between
/// the products, and what is kept for the backward pass, stays in single precision.
[[nodiscard]] FactorType fused_products();

}  // namespace translate
