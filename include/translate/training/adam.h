#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "translate/config/options.h"

namespace translate {

/// Adam (Kingma & Ba 2015) in one fused pass over all parameters, with the paper's bias correction and, where asked,
/// decoupled weight decay on parameters of more than one dimension (Loshchilov & Hutter 2019).
class Adam {
 public:
  using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

  /// `parameters`: by name, each once. Moments start at zero, on each parameter's device.
  Adam(NamedTensors parameters, const OptimizerOptions& options);

  /// One update from the parameters' gradients at learning rate `rate`.
  void step(double rate);

  /// Drops all gradients.
  void clear_gradients();

  /// The global norm of all gradients, sqrt(sum of squares), a scalar on the device.
  [[nodiscard]] at::Tensor gradient_norm() const;

  /// Multiplies all gradients by `factor`.
  void scale_gradients(double factor);

  /// The first parameter whose gradient is not finite, or "" where all are.
  [[nodiscard]] std::string first_bad_gradient() const;

  /// The moments by parameter name: what a checkpoint keeps. They share memory with the optimizer.
  [[nodiscard]] NamedTensors exp_avg() const;
  [[nodiscard]] NamedTensors exp_avg_sq() const;

  /// Puts saved moments back; `step` updates had been made. Throws CheckpointError where names or shapes differ.
  void restore(const NamedTensors& exp_avg, const NamedTensors& exp_avg_sq, std::int64_t step);

 private:
  struct Group {
    std::vector<std::size_t> members;  ///< indices into parameters_
    double weight_decay = 0.0;
  };

  [[nodiscard]] std::vector<at::Tensor> gradients() const;
  void step_group(const Group& group, double rate);

  OptimizerOptions options_;
  NamedTensors parameters_;
  std::vector<at::Tensor> exp_avg_;
  std::vector<at::Tensor> exp_avg_sq_;
  std::vector<at::Tensor> steps_;  ///< one float per parameter, as the fused kernel wants it
  std::vector<Group> groups_;
};

}  // namespace translate
