#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

#include "config/options.h"
#include "training/optimizer/adam.h"
#include "training/optimizer/muon.h"

namespace translate {

/// An update that was not made, as the loss or a gradient was not finite.
struct RefusedUpdate {
  std::int64_t number = 0;  ///< which update of the run, from 1
  double loss = 0.0;        ///< what was given as its loss; 0 where none was
  std::string gradient;     ///< the first parameter whose gradient's norm was not finite; empty where all were
};

/// What turns gradients into updates: Adam, or Muon for the matrices of the layers and Adam for all else.
///
/// An update never waits for the device: how far gradients are scaled, and whether the update is made at all, is
/// decided there. From the first update that had to be refused on, weights and moments stay as they are; refused()
/// tells.
class Optimizer {
 public:
  /// `parameters`: by name, each once. Moments start at zero, on each parameter's device. `num_heads`: of the model,
  /// for Muon.
  Optimizer(NamedTensors parameters, const OptimizerOptions& options, std::int64_t num_heads = 1);

  /// One update from the parameters' gradients at learning rate `rate`. Gradients whose global norm is above
  /// `clip_norm` are scaled to it, Adam's in place; 0 leaves them alone. `loss`, where given, is a scalar on the device
  /// that must be finite, as the gradients must, for the update to be made.
  void step(double rate, double clip_norm = 0.0, const at::Tensor& loss = {});

  /// The first update that was refused, if any was. Waits for the device.
  [[nodiscard]] std::optional<RefusedUpdate> refused() const;

  /// Drops all gradients.
  void clear_gradients();

  /// The moments by parameter name: what a checkpoint keeps. They share memory with the optimizer. What Muon updates
  /// has no second one.
  [[nodiscard]] NamedTensors exp_avg() const;
  [[nodiscard]] NamedTensors exp_avg_sq() const;

  /// Puts saved moments back; `step` updates had been made. Throws CheckpointError where names or shapes differ.
  void restore(const NamedTensors& exp_avg, const NamedTensors& exp_avg_sq, std::int64_t step);

 private:
  /// The norm of each parameter's gradient, 0 where it has none: (parameters).
  [[nodiscard]] at::Tensor gradient_norms() const;
  UpdateVerdict judge(double clip_norm, const at::Tensor& loss);

  NamedTensors parameters_;
  std::optional<Adam> adam_;
  std::optional<Muon> muon_;
  std::int64_t updates_ = 0;  ///< made or refused, over all resumes
  at::Tensor refused_;        ///< bool: an update was refused
  at::Tensor evidence_;       ///< number, loss and gradient norms of the latest update, or of the first refused one
};

}  // namespace translate
