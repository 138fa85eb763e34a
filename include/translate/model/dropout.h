#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "translate/kernels/dropout_mask.h"
#include "translate/model/packed_sentences.h"

namespace translate {

/// Dropout (Srivastava et al. 2014): in training each element is zeroed with `probability` and the rest scaled by
/// 1 / (1 - probability); otherwise the identity. Any shape in, the same shape out. On the CPU the mask comes from
/// a DropoutMask whose key is drawn from the default generator (LibTorch's own costs more than the layers around
/// it); on other devices from LibTorch.
class DropoutImpl : public torch::nn::Module {
 public:
  explicit DropoutImpl(double probability);

  at::Tensor forward(const at::Tensor& x);

  /// The same for the rows of packed sentences, (N, width), on the CPU: with the mask that they would have if padded.
  at::Tensor forward_packed(const at::Tensor& x, const PackedSentences& sentences);

  /// The mask of one forward pass on the CPU, its key drawn from the default generator; where nothing is dropped, an
  /// empty one, and nothing is drawn.
  [[nodiscard]] DropoutMask draw() const;

  [[nodiscard]] double probability() const { return probability_; }
  void set_probability(double probability) { probability_ = probability; }
  /// True where forward would change its input.
  [[nodiscard]] bool is_active() const { return is_training() && probability_ > 0.0; }

 private:
  double probability_;
};
TORCH_MODULE(Dropout);

}  // namespace translate
