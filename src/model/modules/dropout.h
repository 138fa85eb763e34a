#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "kernels/dropout_mask.h"
#include "model/modules/masks.h"

namespace translate {

/// Dropout (Srivastava et al. 2014): in training each element is zeroed with `probability` and the rest scaled by
/// 1 / (1 - probability); otherwise the identity. Any shape in, the same shape out. On the CPU the mask comes from
/// a DropoutMask whose key is drawn from the default generator (LibTorch's own costs more than the layers around
/// it); on other devices from LibTorch.
class DropoutImpl : public torch::nn::Module {
 public:
  explicit DropoutImpl(double probability);

  /// `sentences`: given where x is their rows without padding, (N, width), on the CPU. The mask is then the one that
  /// the padded batch would have there.
  at::Tensor forward(const at::Tensor& x, const UnpaddedSentences* sentences = nullptr);

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

/// LayerDrop (Fan et al. 2019, "Reducing transformer depth on demand with structured dropout"): in training a layer is
/// left out of a pass with `probability`; what the others give is not scaled, and translating uses all of them. Drawn
/// from the CPU's default generator, for all sentences of a pass at once; nothing is drawn where nothing is left out.
class LayerDrop {
 public:
  explicit LayerDrop(double probability) : probability_(probability) {}

  /// Draws whether the next layer is left out.
  [[nodiscard]] bool skips(bool is_training) const;

 private:
  double probability_;
};

}  // namespace translate
