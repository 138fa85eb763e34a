#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

#include "translate/config/options.h"
#include "translate/data/batch.h"
#include "translate/model/transformer.h"
#include "translate/training/gradient_pass.h"
#include "translate/training/optimizer.h"

namespace translate {

/// What one training step cost.
struct StepCost {
  double pass_seconds = 0.0;       ///< of forward and backward
  double update_seconds = 0.0;     ///< of the update
  std::int64_t forward_bytes = 0;  ///< memory that the forward pass kept for the backward one
  std::int64_t peak_bytes = 0;     ///< most memory that both took: activations and gradients
};

/// Training steps on a model that is thrown away afterwards, timed and measured.
class TrialRun {
 public:
  /// `config` must outlive the object. Moves `model` to the device and spoils it.
  TrialRun(Transformer model, const Config& config, const c10::Device& device);

  /// A step with a batch that is on the device. Throws what LibTorch throws, where memory does not suffice too.
  StepCost step(const Batch& batch);

  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  const Config& config_;
  BatchLoss loss_;
  std::optional<Optimizer> optimizer_;
  std::int64_t steps_ = 0;
};

}  // namespace translate
