#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

#include "config/options.h"
#include "training/data_parallel/parameter_shards.h"
#include "training/optimizer/adam.h"
#include "training/optimizer/muon.h"

namespace translate::trainer {

/// An update that was not made because the loss or a gradient was not finite.
struct RefusedUpdate {
  std::int64_t number = 0;  ///< the number of the update in the run, from 1
  double loss = 0.0;        ///< the loss that was given; 0 if there was none
  std::string gradient;  ///< the first parameter whose gradient has a norm that is not finite; empty if all are finite
};

/// Drops the gradients of the parameters.
void clear_gradients(const NamedTensors& parameters);

/// Turns gradients into updates: Muon for the matrices of the layers if it is chosen, Adam for everything else.
///
/// An update never waits for the device: the factor that clips the gradients, and whether the update is made at all,
/// are decided there. From the first refused update on, weights and moments stay as they are; refused() tells.
class Optimizer {
 public:
  /// `parameters`: by name, each once. Moments start at zero, on each parameter's device. `layer_matrices`: those of
  /// the model; Muon needs at least one, otherwise std::invalid_argument is thrown.
  Optimizer(NamedTensors parameters, const OptimizerOptions& options, const LayerMatrices& layer_matrices = {});

  /// Updates this process's rows of the parameters: all functions then mean these rows by "parameters", but for the
  /// global norm of the gradients and refused(), which are those of the whole parameters. step() must be called by all
  /// processes. `shards` must outlive this object; it keeps the layers' matrices undivided if Muon is chosen.
  Optimizer(ParameterShards& shards, const OptimizerOptions& options, const LayerMatrices& layer_matrices);

  /// Makes one update from the parameters' gradients at learning rate `rate`. Gradients whose global norm is above
  /// `clip_norm` are scaled down to it, Adam's in place; 0 leaves them unchanged. `loss`, if given, is a scalar on the
  /// device. The update is made only if the loss and the gradients are finite.
  void step(double rate, double clip_norm = 0.0, const at::Tensor& loss = {});

  /// Returns the first refused update, if there was one. Waits for the device.
  [[nodiscard]] std::optional<RefusedUpdate> refused() const;

  /// Goes on after a refused update, which does not count: the next one is made, with the same number. To be called
  /// before another update is tried.
  void skip_refused();

  /// Drops all gradients.
  void clear_gradients() { translate::trainer::clear_gradients(parameters_); }

  /// Returns the moments by parameter name, for a checkpoint. They share memory with the optimizer. Parameters that
  /// Muon updates have no second moment.
  [[nodiscard]] NamedTensors exp_avg() const;
  [[nodiscard]] NamedTensors exp_avg_sq() const;

  /// Restores saved moments after `step` updates. Throws CheckpointError if names or shapes differ.
  void restore(const NamedTensors& exp_avg, const NamedTensors& exp_avg_sq, std::int64_t step);

 private:
  Optimizer(NamedTensors parameters, const OptimizerOptions& options, const LayerMatrices& layer_matrices,
            ParameterShards* shards);

  /// Returns the norm of each parameter's gradient, 0 if it has none: (parameters).
  [[nodiscard]] at::Tensor gradient_norms() const;
  /// Returns the parameters whose norms decide on an update.
  [[nodiscard]] const NamedTensors& whole_parameters() const;
  UpdateDecision decide(double clip_norm, const at::Tensor& loss);

  NamedTensors parameters_;
  ParameterShards* shards_;  ///< nullptr: parameters_ are whole
  std::optional<Adam> adam_;
  std::optional<Muon> muon_;
  std::int64_t updates_ = 0;  ///< made or refused, including those before resuming
  at::Tensor refused_;        ///< bool: an update was refused
  at::Tensor last_update_;    ///< number, loss and gradient norms of the latest update, or of the first refused one
};

}  // namespace translate::trainer
