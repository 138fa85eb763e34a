#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include "config/options.h"
#include "model/modules/dropout.h"

namespace translate {

/// Position-wise feed-forward network (paper, section 3.3): linear_2(dropout(activation(linear_1(x)))).
/// (batch, length, d_model) -> (batch, length, d_ff) -> (batch, length, d_model).
class FeedForwardBlockImpl : public torch::nn::Module {
 public:
  explicit FeedForwardBlockImpl(const ModelOptions& options);

  at::Tensor forward(const at::Tensor& x);

  [[nodiscard]] Activation activation() const { return kind_; }

  torch::nn::Linear linear_1{nullptr};
  Dropout dropout{nullptr};
  torch::nn::Linear linear_2{nullptr};

 private:
  Activation kind_;
  at::Tensor (*activation_)(const at::Tensor&);
};
TORCH_MODULE(FeedForwardBlock);

}  // namespace translate
