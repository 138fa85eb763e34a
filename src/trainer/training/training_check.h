#pragma once

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "config/options.h"

namespace translate::trainer {

/// The steps of a training at the measured speed.
struct TrainingLength {
  double steps = 0.0;  ///< until the first limit
  double steps_per_epoch = 0.0;
};

/// Returns what does not fit into the steps of a training, as sentences: a warm-up that takes more than half of them,
/// or a first validation after their end. `validates`: there is something to validate on.
[[nodiscard]] std::vector<std::string> find_what_does_not_fit(const TrainingOptions& training,
                                                              const TrainingLength& length, bool validates);

/// Returns the output of --check: pairs, vocabularies, parameters, memory, batches and padding of an epoch, and ten
/// pairs that data.modifiers change. It reads and encodes the data, reads the weights that `start.init` names, and
/// builds the model, without training and without leaving files in the run folder; for `batch_tokens: auto` it
/// measures. Warns of what does not fit into the steps of the training. Throws the errors of these steps.
[[nodiscard]] std::string check_training(const Config& wanted, const StartOptions& start, const c10::Device& device);

}  // namespace translate::trainer
