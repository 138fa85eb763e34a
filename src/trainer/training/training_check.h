#pragma once

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "config/options.h"
#include "training/advice.h"

namespace translate::trainer {

/// The result of a check.
struct CheckReport {
  std::string text;  ///< for people
  std::vector<Advice> advice;
};

/// Checks a configuration and its data. The text has pairs, vocabularies, parameters, memory, batches and padding of an
/// epoch, and ten pairs that data.modifiers change. It reads and encodes the data, reads the weights that `start.init`
/// names, and builds the model, without training and without leaving files in the run folder; for `batch_tokens: auto`
/// it measures. Throws the errors of these steps.
[[nodiscard]] CheckReport check_training(const Config& wanted, const StartOptions& start, const c10::Device& device);

}  // namespace translate::trainer
