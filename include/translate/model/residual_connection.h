#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "translate/config/options.h"
#include "translate/model/dropout.h"
#include "translate/model/layer_normalization.h"

namespace translate {

/// A sub-layer with its way around it. Pre-norm: x + dropout(sublayer(norm(x))); post-norm (paper, section 3.1):
/// norm(x + dropout(sublayer(x))). (batch, length, d_model) in and out.
class ResidualConnectionImpl : public torch::nn::Module {
 public:
  explicit ResidualConnectionImpl(const ModelOptions& options);

  /// `sublayer`: callable from tensor to tensor of the same shape.
  template <typename Sublayer>
  at::Tensor forward(const at::Tensor& x, Sublayer&& sublayer) {
    if (placement_ == NormPlacement::kPre) {
      return x + dropout(sublayer(norm(x)));
    }
    return norm(x + dropout(sublayer(x)));
  }

  LayerNormalization norm{nullptr};
  Dropout dropout{nullptr};

 private:
  NormPlacement placement_;
};
TORCH_MODULE(ResidualConnection);

}  // namespace translate
