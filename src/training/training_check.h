#pragma once

#include <c10/core/Device.h>

#include <string>

#include "config/options.h"

namespace translate {

/// Returns the output of --check: pairs, vocabularies, parameters, memory, batches and padding of an epoch. It reads
/// and encodes the data and builds the model, without training and without leaving files in the run folder; for
/// `batch_tokens: auto` it measures. Throws the errors of these steps.
[[nodiscard]] std::string check_training(const Config& wanted, const c10::Device& device);

}  // namespace translate
