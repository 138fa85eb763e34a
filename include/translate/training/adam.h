#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "translate/config/options.h"

namespace translate {

/// An update that Adam did not make, as the loss or a gradient was not finite.
struct RefusedUpdate {
  std::int64_t number = 0;  ///< which update of the run, from 1
  double loss = 0.0;        ///< what was given as its loss; 0 where none was
  std::string gradient;     ///< the first parameter whose gradient's norm was not finite; empty where all were
};

/// Adam (Kingma & Ba 2015) in one fused pass over all parameters, with the paper's bias correction and, where asked,
/// decoupled weight decay on parameters of more than one dimension (Loshchilov & Hutter 2019).
///
/// An update never waits for the device: how far gradients are scaled, and whether the update is made at all, is
/// decided there. From the first update that had to be refused on, weights and moments stay as they are; refused()
/// tells.
class Adam {
 public:
  using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

  /// `parameters`: by name, each once. Moments start at zero, on each parameter's device.
  Adam(NamedTensors parameters, const OptimizerOptions& options);

  /// One update from the parameters' gradients at learning rate `rate`. Gradients whose global norm is above
  /// `clip_norm` are first scaled to it, in place; 0 leaves them alone. `loss`, where given, is a scalar on the device
  /// that must be finite, as the gradients must, for the update to be made.
  void step(double rate, double clip_norm = 0.0, const at::Tensor& loss = {});

  /// The first update that was refused, if any was. Waits for the device.
  [[nodiscard]] std::optional<RefusedUpdate> refused() const;

  /// Drops all gradients.
  void clear_gradients();

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

  /// What an update does with the gradients, decided on the device; each a float scalar there.
  struct Verdict {
    at::Tensor divisor;  ///< of all gradients; undefined: 1
    at::Tensor refused;  ///< 1: the update is not made; 0: it is
    at::Tensor made;     ///< the other way about
  };

  /// The norm of each parameter's gradient, 0 where it has none: (parameters).
  [[nodiscard]] at::Tensor gradient_norms() const;
  Verdict judge(double clip_norm, const at::Tensor& loss);
  void step_group(const Group& group, double rate, const Verdict& verdict);

  OptimizerOptions options_;
  NamedTensors parameters_;
  std::vector<at::Tensor> exp_avg_;
  std::vector<at::Tensor> exp_avg_sq_;
  std::vector<at::Tensor> steps_;  ///< one float per parameter, as the fused kernel wants it
  std::vector<Group> groups_;
  std::int64_t updates_ = 0;  ///< made or refused, over all resumes
  at::Tensor refused_;        ///< bool: an update was refused
  at::Tensor evidence_;       ///< number, loss and gradient norms of the latest update, or of the first refused one
};

}  // namespace translate
