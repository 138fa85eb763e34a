#include "model/modules/projection_layer.h"

#include <ATen/ATen.h>

#include <cmath>

namespace translate {

namespace {

/// The initialisation of torch::nn::Linear: U(-1/sqrt(fan_in), 1/sqrt(fan_in)).
at::Tensor uniform(at::IntArrayRef sizes, std::int64_t fan_in) {
  const auto bound = 1.0 / std::sqrt(static_cast<double>(fan_in));
  return at::empty(sizes).uniform_(-bound, bound);
}

}  // namespace

TiedLinearImpl::TiedLinearImpl(const at::Tensor& given_weight) {
  weight = register_parameter("weight", given_weight);
  bias = register_parameter("bias", uniform({given_weight.size(0)}, given_weight.size(1)));
}

at::Tensor TiedLinearImpl::forward(const at::Tensor& x) { return at::linear(x, weight, bias); }

ProjectionLayerImpl::ProjectionLayerImpl(std::int64_t d_model, std::int64_t vocab_size)
    : ProjectionLayerImpl(uniform({vocab_size, d_model}, d_model)) {}

ProjectionLayerImpl::ProjectionLayerImpl(const at::Tensor& shared_weight) {
  proj = register_module("proj", TiedLinear(shared_weight));
}

at::Tensor ProjectionLayerImpl::forward(const at::Tensor& x) { return proj(x); }

}  // namespace translate
