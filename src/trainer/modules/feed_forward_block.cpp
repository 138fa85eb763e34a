#include "modules/feed_forward_block.h"

#include <ATen/ATen.h>

#include "modules/linear_layers.h"

namespace translate::trainer {

namespace {

at::Tensor relu(const at::Tensor& x) { return at::relu(x); }
at::Tensor gelu(const at::Tensor& x) { return at::gelu(x); }
at::Tensor swish(const at::Tensor& x) { return at::silu(x); }

auto activation_function(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return &gelu;
    case Activation::kSwish:
      return &swish;
    case Activation::kRelu:
      break;
  }
  return &relu;
}

}  // namespace

FeedForwardBlockImpl::FeedForwardBlockImpl(const ModelOptions& options, const FeedForwardParameters& parameters)
    : kind_(options.activation), activation_(activation_function(options.activation)) {
  linear_1 = register_module(parameters.linear_1.module, linear_layer(parameters.linear_1));
  dropout = register_module("dropout", Dropout(options.activation_dropout.value_or(options.dropout)));
  linear_2 = register_module(parameters.linear_2.module, linear_layer(parameters.linear_2));
}

at::Tensor FeedForwardBlockImpl::forward(const at::Tensor& x, const UnpaddedLayout* sentences,
                                         const ExecutionContext& context) {
  const auto inner = activation_(linear_1(x));  // (..., d_ff)
  context.observe("inner", inner);
  auto output = linear_2(dropout(inner, sentences, context));  // (..., d_model)
  context.observe("output", output);
  return output;
}

}  // namespace translate::trainer
