#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include "config/options.h"
#include "model/parameters.h"
#include "modules/dropout.h"
#include "modules/execution_context.h"
#include "tensors/unpadded_layout.h"

namespace translate::trainer {

/// Position-wise feed-forward network (paper, section 3.3): linear_2(dropout(activation(linear_1(x)))).
/// (..., d_model) -> (..., d_ff) -> (..., d_model).
class FeedForwardBlockImpl : public torch::nn::Module {
 public:
  FeedForwardBlockImpl(const ModelOptions& options, const FeedForwardParameters& parameters);

  /// x: (batch, length, d_model), or the unpadded rows of `sentences`, (N, d_model).
  at::Tensor forward(const at::Tensor& x, const UnpaddedLayout* sentences = nullptr,
                     const ExecutionContext& context = {});

  [[nodiscard]] Activation activation() const { return kind_; }

  torch::nn::Linear linear_1{nullptr};
  Dropout dropout{nullptr};
  torch::nn::Linear linear_2{nullptr};

 private:
  Activation kind_;
  at::Tensor (*activation_)(const at::Tensor&);
};
TORCH_MODULE(FeedForwardBlock);

}  // namespace translate::trainer
