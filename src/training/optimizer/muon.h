#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "tensors/tensor_file.h"
#include "training/optimizer/adam.h"

namespace translate {

/// Whether Muon is for a parameter: the matrices of encoder and decoder layers. Embeddings and the projection to the
/// vocabulary, whose rows are looked up one by one, and all vectors are left to Adam.
[[nodiscard]] bool is_layer_matrix(const std::string& name, const at::Tensor& parameter);

/// Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"): a matrix moves by the polar
/// factor of its mean gradient, so that all directions in which it can change are equally far:
///
///     m = momentum m + (1 - momentum) g        d = (1 - momentum) g + momentum m        (Nesterov)
///     W = (1 - rate weight_decay) W - rate matrix_update sqrt(max(rows, columns)) polar(d)
///
/// The factor makes `matrix_update` the root mean square of what is added, in learning rates, so that one rate suits
/// this and Adam (Liu et al. 2025, "Muon is Scalable for LLM Training"). w_q, w_k and w_v hold a map for each head:
/// their rows of each head are taken as a matrix of its own.
class Muon {
 public:
  /// `matrices`: by name, each once, on one device. Momenta start at zero.
  Muon(NamedTensors matrices, const OptimizerOptions& options, std::int64_t num_heads);

  /// One update from the matrices' gradients at learning rate `rate`; matrices without one stay as they are.
  void step(double rate, const UpdateVerdict& verdict);

  /// m by parameter name. They share memory with this object.
  [[nodiscard]] NamedTensors momenta() const;
  /// Puts saved momenta back, found by name. Throws CheckpointError where one is missing or of another shape.
  void restore(const NamedTensors& momenta);

 private:
  OptimizerOptions options_;
  NamedTensors matrices_;
  std::vector<std::int64_t> heads_;  ///< how many matrices each one's rows hold
  std::vector<at::Tensor> momenta_;
};

/// The polar factors of matrices of any shapes on one device (kernels/polar_factor.h): each (heads, rows, columns), a
/// factor for each of its heads.
[[nodiscard]] std::vector<at::Tensor> polar_factors(const std::vector<at::Tensor>& matrices);

}  // namespace translate
