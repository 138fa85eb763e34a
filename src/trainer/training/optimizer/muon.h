#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/options.h"
#include "tensors/tensor_file.h"
#include "training/optimizer/adam.h"

namespace translate::trainer {

/// The matrices that Muon updates, by name, each with the number of maps in its rows.
using LayerMatrices = std::map<std::string, std::int64_t>;

/// Returns the matrices of a model's layers; w_q, w_k and w_v hold one map per head. Embeddings and the projection to
/// the vocabulary, whose rows are looked up one by one, and all vectors are left to Adam (OptimizerGroup).
[[nodiscard]] LayerMatrices layer_matrices(const ModelOptions& model);

/// Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"): a matrix moves by the polar
/// factor of its mean gradient, so that all directions in which it can change are equally far:
///
///     m = momentum m + (1 - momentum) g        d = (1 - momentum) g + momentum m        (Nesterov)
///     W = (1 - rate weight_decay) W - rate matrix_update sqrt(max(rows, columns)) polar(d)
///
/// The factor makes `matrix_update` the root mean square of the change, in learning rates, so that one rate suits this
/// and Adam (Liu et al. 2025, "Muon is Scalable for LLM Training"). w_q, w_k and w_v hold one map per head: the rows of
/// each head are treated as a matrix of their own.
class Muon {
 public:
  /// `matrices`: by name, each once, on one device; `heads` has the number of maps of each. Momenta start at zero.
  Muon(NamedTensors matrices, const OptimizerOptions& options, const LayerMatrices& heads);

  /// Makes one update from the matrices' gradients at learning rate `rate`; matrices without one stay as they are.
  void step(double rate, const UpdateDecision& decision);

  /// Returns m by parameter name. The tensors share memory with this object.
  [[nodiscard]] NamedTensors momenta() const;
  /// Restores saved momenta, found by name. Throws CheckpointError if one is missing or of another shape.
  void restore(const NamedTensors& momenta);

 private:
  OptimizerOptions options_;
  NamedTensors matrices_;
  std::vector<std::int64_t> heads_;  ///< the number of matrices in the rows of each
  std::vector<at::Tensor> momenta_;
};

/// Returns the polar factors of matrices of any shapes on one device (kernels/matrix/polar_factor.h). Each matrix is
/// (heads, rows, columns), with one factor per head.
[[nodiscard]] std::vector<at::Tensor> polar_factors(const std::vector<at::Tensor>& matrices);

}  // namespace translate::trainer
