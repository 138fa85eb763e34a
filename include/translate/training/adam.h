#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "translate/checkpoint/tensor_file.h"
#include "translate/config/options.h"
#include "translate/training/update_verdict.h"

namespace translate {

/// Adam (Kingma & Ba 2015) in one fused pass over all its parameters, with the paper's bias correction and, where
/// asked, decoupled weight decay on parameters of more than one dimension (Loshchilov & Hutter 2019).
class Adam {
 public:
  /// `parameters`: by name, each once. Moments start at zero, on each parameter's device.
  Adam(NamedTensors parameters, const OptimizerOptions& options);

  /// One update from the parameters' gradients at learning rate `rate`; parameters without one stay as they are.
  void step(double rate, const UpdateVerdict& verdict);

  /// The moments by parameter name. They share memory with this object.
  [[nodiscard]] NamedTensors exp_avg() const;
  [[nodiscard]] NamedTensors exp_avg_sq() const;

  /// Puts saved moments back, found by name; `step` updates had been made. Throws CheckpointError where one is missing
  /// or of another shape.
  void restore(const NamedTensors& exp_avg, const NamedTensors& exp_avg_sq, std::int64_t step);

 private:
  struct Group {
    std::vector<std::size_t> members;  ///< indices into parameters_
    double weight_decay = 0.0;
  };

  void step_group(const Group& group, double rate, const UpdateVerdict& verdict);

  OptimizerOptions options_;
  NamedTensors parameters_;
  std::vector<at::Tensor> exp_avg_;
  std::vector<at::Tensor> exp_avg_sq_;
  std::vector<at::Tensor> steps_;  ///< one float per parameter, as the fused kernel wants it
  std::vector<Group> groups_;
};

}  // namespace translate
