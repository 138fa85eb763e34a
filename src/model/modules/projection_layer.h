#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

namespace translate {

/// A linear map whose weight may be shared with an embedding table. `weight`: (vocab_size, d_model), `bias`:
/// (vocab_size).
class TiedLinearImpl : public torch::nn::Module {
 public:
  explicit TiedLinearImpl(const at::Tensor& given_weight);

  at::Tensor forward(const at::Tensor& x);

  at::Tensor weight;
  at::Tensor bias;
};
TORCH_MODULE(TiedLinear);

/// Maps decoder output to logits (log-softmax belongs to the loss and the search). (..., d_model) -> (..., vocab_size).
class ProjectionLayerImpl : public torch::nn::Module {
 public:
  /// Creates a weight of its own.
  ProjectionLayerImpl(std::int64_t d_model, std::int64_t vocab_size);
  /// Shares the weight of a target embedding, (vocab_size, d_model) (Press & Wolf 2017; paper, section 3.4).
  explicit ProjectionLayerImpl(const at::Tensor& shared_weight);

  at::Tensor forward(const at::Tensor& x);

  TiedLinear proj{nullptr};
};
TORCH_MODULE(ProjectionLayer);

}  // namespace translate
