#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <span>

namespace translate {

/// Fills `mask` with 0 (probability `probability`) or 1 / (1 - probability), element i from a hash of (key, i) alone:
/// the same values whatever the number of threads. Counter-based, as in Salmon et al. 2011 ("Parallel random numbers:
/// as easy as 1, 2, 3"), with a cheaper mixing function, as dropout needs independence and not cryptography.
void fill_dropout_mask(std::span<float> mask, double probability, std::uint64_t key);

/// Dropout (Srivastava et al. 2014): in training each element is zeroed with `probability` and the rest scaled by
/// 1 / (1 - probability); otherwise the identity. Any shape in, the same shape out. On the CPU the mask comes from
/// fill_dropout_mask with a key drawn from the default generator (LibTorch's own costs more than the layers around
/// it); on other devices from LibTorch.
class DropoutImpl : public torch::nn::Module {
 public:
  explicit DropoutImpl(double probability);

  at::Tensor forward(const at::Tensor& x);

  [[nodiscard]] double probability() const { return probability_; }
  /// True where forward would change its input.
  [[nodiscard]] bool is_active() const { return is_training() && probability_ > 0.0; }

 private:
  double probability_;
};
TORCH_MODULE(Dropout);

}  // namespace translate
