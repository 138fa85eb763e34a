#pragma once

#include <ATen/ATen.h>

#include "tensors/tensor_file.h"

namespace translate::trainer {

/// A matrix (3, 4) and a bias (4) of random values, which want gradients.
inline NamedTensors two_parameters() {
  at::manual_seed(3);
  return {{"matrix", at::randn({3, 4}).requires_grad_()}, {"bias", at::randn({4}).requires_grad_()}};
}

}  // namespace translate::trainer
