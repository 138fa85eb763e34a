#pragma once

#include <c10/core/Device.h>

#include <cstdint>

#include "translate/config/options.h"
#include "translate/data/training_data.h"
#include "translate/model/transformer.h"

namespace translate {

/// What a few training steps on real batches cost, before any training.
struct Trial {
  std::int64_t target_tokens = 0;  ///< in the batches timed
  double seconds = 0.0;            ///< for them: forward, backward, update
  std::int64_t bytes = 0;          ///< most memory a batch took: activations and gradients
  double share_of_batch = 1.0;     ///< the part of each batch that was used; less than 1 where a whole is too slow

  [[nodiscard]] double tokens_per_second() const { return static_cast<double>(target_tokens) / seconds; }
  /// Of a whole batch: memory grows with the number of sentences.
  [[nodiscard]] double bytes_per_batch() const { return static_cast<double>(bytes) / share_of_batch; }
};

/// Trains `model`, which is spoilt by it, on batches of the first epoch for about `seconds`, the first one untimed.
[[nodiscard]] Trial run_trial(Transformer model, const TrainingData& data, const Config& config,
                              const c10::Device& device, double seconds);

}  // namespace translate
