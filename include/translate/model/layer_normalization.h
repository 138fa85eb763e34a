#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "translate/config/options.h"

namespace translate {

/// Layer normalisation over the last dimension (Ba et al. 2016), of either kind:
/// `torch`:     alpha * (x - mean) / sqrt(biased variance + eps) + bias
/// `reference`: alpha * (x - mean) / (unbiased standard deviation + eps) + bias
/// Parameters `alpha` and `bias`: (d_model). Any (..., d_model) in, the same shape out.
class LayerNormalizationImpl : public torch::nn::Module {
 public:
  explicit LayerNormalizationImpl(const ModelOptions& options);

  at::Tensor forward(const at::Tensor& x);

  [[nodiscard]] LayerNormKind kind() const { return kind_; }
  [[nodiscard]] double epsilon() const { return epsilon_; }

  at::Tensor alpha;
  at::Tensor bias;

 private:
  LayerNormKind kind_;
  double epsilon_;
};
TORCH_MODULE(LayerNormalization);

}  // namespace translate
