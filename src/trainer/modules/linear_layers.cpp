#include "modules/linear_layers.h"

#include <ATen/ATen.h>

#include <cmath>

namespace translate::trainer {

torch::nn::Linear linear_layer(const LinearParameters& parameters) {
  const auto& shape = parameters.weight.shape;  // (out, in)
  return torch::nn::Linear(torch::nn::LinearOptions(shape[1], shape[0]).bias(parameters.bias.has_value()));
}

namespace {

/// The initialisation of torch::nn::Linear: U(-1/sqrt(fan_in), 1/sqrt(fan_in)).
at::Tensor uniform(const Parameter& parameter, std::int64_t fan_in) {
  const auto bound = 1.0 / std::sqrt(static_cast<double>(fan_in));
  return at::empty(parameter.shape).uniform_(-bound, bound);
}

}  // namespace

TiedLinearImpl::TiedLinearImpl(const LinearParameters& parameters, const at::Tensor& other) {
  const auto fan_in = parameters.weight.shape[1];
  weight = register_parameter(parameters.weight.own_name(),
                              parameters.weight.is_tied() ? other : uniform(parameters.weight, fan_in));
  bias = register_parameter(parameters.bias->own_name(), uniform(*parameters.bias, fan_in));
}

at::Tensor TiedLinearImpl::forward(const at::Tensor& x) { return at::linear(x, weight, bias); }

ProjectionLayerImpl::ProjectionLayerImpl(const ProjectionParameters& parameters, const at::Tensor& target_table) {
  proj = register_module(parameters.proj.module, TiedLinear(parameters.proj, target_table));
}

at::Tensor ProjectionLayerImpl::forward(const at::Tensor& x) { return proj(x); }

}  // namespace translate::trainer
