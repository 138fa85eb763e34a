#pragma once

#include <c10/core/Device.h>

#include <cstdint>

#include "translate/config/options.h"
#include "translate/data/training_data.h"
#include "translate/model/transformer.h"

namespace translate {

/// What a few training steps on real batches cost, before any training.
struct Trial {
  std::int64_t target_tokens = 0;   ///< in the batches timed
  std::int64_t updates = 0;         ///< timed
  double pass_seconds = 0.0;        ///< of forward and backward over these batches
  double update_seconds = 0.0;      ///< of these updates
  std::int64_t forward_bytes = 0;   ///< most memory a forward pass kept for the backward one
  std::int64_t peak_bytes = 0;      ///< most memory both took: activations and gradients
  std::int64_t gradient_bytes = 0;  ///< of all gradients
  double share_of_batch = 1.0;      ///< the part of each batch that was used; less than 1 where a whole is too slow

  /// For `tokens` target tokens in `steps` updates.
  [[nodiscard]] double seconds_for(double tokens, double steps) const {
    return tokens * pass_seconds / static_cast<double>(target_tokens) +
           steps * update_seconds / static_cast<double>(updates);
  }
  /// Of a whole batch: as measured, or where only a part was tried what that kept, scaled up, and all gradients.
  [[nodiscard]] double bytes_per_batch() const {
    return share_of_batch == 1.0
               ? static_cast<double>(peak_bytes)
               : static_cast<double>(forward_bytes) / share_of_batch + static_cast<double>(gradient_bytes);
  }
};

/// How much a trial may cost: long enough for a figure, short enough to wait for.
struct TrialBudget {
  double seconds = 3.0;         ///< new steps begin until then; two at least are made
  double multiply_adds = 3e11;  ///< of a step on a processor: some seconds; larger batches are tried in part
};

/// Trains `model`, which is spoilt by it, on batches of the first epoch; the first step is not timed.
[[nodiscard]] Trial run_trial(Transformer model, const TrainingData& data, const Config& config,
                              const c10::Device& device, const TrialBudget& budget = {});

}  // namespace translate
