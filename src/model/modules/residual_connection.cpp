#include "model/modules/residual_connection.h"

#include <ATen/ATen.h>

namespace translate {

LayerNormalizationImpl::LayerNormalizationImpl(const ModelOptions& options)
    : kind_(options.layer_norm), epsilon_(options.layer_norm_epsilon) {
  alpha = register_parameter("alpha", at::ones({options.d_model}));
  bias = register_parameter("bias", at::zeros({options.d_model}));
}

at::Tensor LayerNormalizationImpl::forward(const at::Tensor& x) {
  if (kind_ == LayerNormKind::kTorch) {
    return at::layer_norm(x, alpha.sizes(), alpha, bias, epsilon_);
  }
  const auto mean = x.mean(/*dim=*/-1, /*keepdim=*/true);                         // (..., 1)
  const auto deviation = x.std(/*dim=*/-1, /*unbiased=*/true, /*keepdim=*/true);  // (..., 1)
  return alpha * (x - mean) / (deviation + epsilon_) + bias;
}

ResidualConnectionImpl::ResidualConnectionImpl(const ModelOptions& options, std::int64_t index)
    : index_(index), placement_(options.norm) {
  norm = register_module("norm", LayerNormalization(options));
  dropout = register_module("dropout", Dropout(options.dropout));
}

}  // namespace translate
