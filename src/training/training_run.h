#pragma once

#include <c10/core/Device.h>

#include <string>

#include "config/options.h"
#include "training/trainer.h"

namespace translate {

/// How a training starts, besides its configuration.
struct StartOptions {
  std::string resume = "auto";  ///< auto: go on where the run stopped; never: start anew; or a checkpoint
  std::string init;             ///< start from these weights with a fresh optimizer (empty: from random ones)
};

/// Reads the data, opens the run folder, resumes or starts, trains until a limit or a signal, and says how it ended.
/// Nothing is written before configuration and data have been read and found right. Throws as its parts do; ConfigError
/// where a resumed run's configuration differs in more than may change. `training.batch_tokens: auto` is measured once:
/// the run's configuration and its checkpoints hold the number, and a resumed run takes it from there.
TrainingOutcome run_training(const Config& wanted, const StartOptions& start, const c10::Device& device);

}  // namespace translate
