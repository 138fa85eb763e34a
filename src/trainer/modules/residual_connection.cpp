#include "modules/residual_connection.h"

#include <ATen/ATen.h>

namespace translate::trainer {

LayerNormalizationImpl::LayerNormalizationImpl(const ModelOptions& options, const NormParameters& parameters)
    : kind_(options.layer_norm), epsilon_(options.layer_norm_epsilon) {
  alpha = register_parameter(parameters.alpha.own_name(), at::ones(parameters.alpha.shape));
  if (parameters.bias) {
    bias = register_parameter(parameters.bias->own_name(), at::zeros(parameters.bias->shape));
  }
}

at::Tensor LayerNormalizationImpl::forward(const at::Tensor& x) {
  if (kind_ == LayerNormKind::kTorch) {
    return at::layer_norm(x, alpha.sizes(), alpha, bias, epsilon_);
  }
  if (kind_ == LayerNormKind::kRms) {
    return at::rms_norm(x, alpha.sizes(), alpha, epsilon_);
  }
  const auto mean = x.mean(/*dim=*/-1, /*keepdim=*/true);                         // (..., 1)
  const auto deviation = x.std(/*dim=*/-1, /*unbiased=*/true, /*keepdim=*/true);  // (..., 1)
  return alpha * (x - mean) / (deviation + epsilon_) + bias;
}

ResidualConnectionImpl::ResidualConnectionImpl(const ModelOptions& options, const NormParameters& parameters,
                                               std::int64_t index)
    : index_(index), placement_(options.norm) {
  norm = register_module(parameters.module, LayerNormalization(options, parameters));
  dropout = register_module("dropout", Dropout(options.dropout));
}

}  // namespace translate::trainer
