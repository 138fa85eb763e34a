#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {

/// The decision about an update and its gradients, made on the device. Each member is a float scalar there.
struct UpdateDecision {
  at::Tensor divisor;  ///< divides all gradients; undefined: 1
  at::Tensor refused;  ///< 1: the update is not made; 0: it is made
  at::Tensor made;     ///< 1 - refused
};

/// Adam (Kingma & Ba 2015) in one fused pass over all its parameters, with the paper's bias correction and, if asked
/// for, decoupled weight decay on parameters of more than one dimension (Loshchilov & Hutter 2019).
class Adam {
 public:
  /// `parameters`: by name, each once. Moments start at zero, on each parameter's device.
  Adam(NamedTensors parameters, const OptimizerOptions& options);

  /// Makes one update from the parameters' gradients at learning rate `rate`; parameters without one stay as they are.
  void step(double rate, const UpdateDecision& decision);

  /// The moments by parameter name. They share memory with this object.
  [[nodiscard]] NamedTensors exp_avg() const;
  [[nodiscard]] NamedTensors exp_avg_sq() const;

  /// Restores saved moments, found by name, after `step` updates. Throws CheckpointError if one is missing or of
  /// another shape.
  void restore(const NamedTensors& exp_avg, const NamedTensors& exp_avg_sq, std::int64_t step);

 private:
  struct Group {
    std::vector<std::size_t> members;  ///< indices into parameters_
    double weight_decay = 0.0;
  };

  void step_group(const Group& group, double rate, const UpdateDecision& decision);

  OptimizerOptions options_;
  NamedTensors parameters_;
  std::vector<at::Tensor> exp_avg_;
  std::vector<at::Tensor> exp_avg_sq_;
  std::vector<at::Tensor> steps_;  ///< one float per parameter, as the fused kernel requires
  std::vector<Group> groups_;
};

}  // namespace translate::trainer
