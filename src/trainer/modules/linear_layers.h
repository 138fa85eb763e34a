#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include "model/parameters.h"

namespace translate::trainer {

/// Returns PyTorch's linear layer with the shape that the table of parameters gives it, and a bias if it has one there.
[[nodiscard]] torch::nn::Linear linear_layer(const LinearParameters& parameters);

/// A linear map whose weight may be shared with an embedding table. `weight`: (vocab_size, d_model), `bias`:
/// (vocab_size).
class TiedLinearImpl : public torch::nn::Module {
 public:
  /// `other`: the weight that it shares if the table of parameters ties the two; otherwise it creates one of its own.
  TiedLinearImpl(const LinearParameters& parameters, const at::Tensor& other);

  at::Tensor forward(const at::Tensor& x);

  at::Tensor weight;
  at::Tensor bias;
};
TORCH_MODULE(TiedLinear);

/// Maps decoder output to logits (log-softmax belongs to the loss and the search). (..., d_model) -> (..., vocab_size).
class ProjectionLayerImpl : public torch::nn::Module {
 public:
  /// `target_table`: the weight of the target embedding, (vocab_size, d_model), which it shares if the two are tied
  /// (Press & Wolf 2017; paper, section 3.4).
  ProjectionLayerImpl(const ProjectionParameters& parameters, const at::Tensor& target_table);

  at::Tensor forward(const at::Tensor& x);

  TiedLinear proj{nullptr};
};
TORCH_MODULE(ProjectionLayer);

}  // namespace translate::trainer
