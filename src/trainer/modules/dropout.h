#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "kernels/dropout_mask.h"
#include "modules/execution_context.h"
#include "tensors/unpadded_layout.h"

namespace translate::trainer {

/// Dropout (Srivastava et al. 2014): in training each element is zeroed with `probability` and the rest scaled by
/// 1 / (1 - probability); otherwise the identity. Any shape in, the same shape out. On the CPU the mask comes from
/// a DropoutMask whose key is drawn from the default generator (LibTorch's own costs more than the layers around it);
/// from the same key, a slice of a batch gets the elements that the whole batch has there. On other devices the mask
/// comes from LibTorch, which knows nothing of slices.
class DropoutImpl : public torch::nn::Module {
 public:
  explicit DropoutImpl(double probability);

  /// `sentences`: given if x is their unpadded rows, (N, width), on the CPU. The mask is then the same as the padded
  /// batch would have at these positions. Otherwise x is a padded batch, (batch, ...), and the context knows which
  /// sentences of a larger batch these are.
  at::Tensor forward(const at::Tensor& x, const UnpaddedLayout* sentences = nullptr,
                     const ExecutionContext& context = {});

  /// Returns the mask of one forward pass on the CPU and draws its key from the default generator. If nothing is
  /// dropped, the mask is empty and nothing is drawn.
  [[nodiscard]] DropoutMask draw() const;

  [[nodiscard]] double probability() const { return probability_; }
  void set_probability(double probability) { probability_ = probability; }
  /// True if forward would change its input.
  [[nodiscard]] bool is_active() const { return is_training() && probability_ > 0.0; }

 private:
  double probability_;
};
TORCH_MODULE(Dropout);

/// LayerDrop (Fan et al. 2019, "Reducing transformer depth on demand with structured dropout"): in training a layer is
/// left out of a pass with `probability`. The outputs of the other layers are not scaled, and translating uses all
/// layers. The choice is drawn from the CPU's default generator, once for all sentences of a pass; nothing is drawn if
/// no layer can be left out.
class LayerDrop {
 public:
  explicit LayerDrop(double probability) : probability_(probability) {}

  /// Draws whether the next layer is left out.
  [[nodiscard]] bool skips(bool is_training) const;

 private:
  double probability_;
};

}  // namespace translate::trainer
