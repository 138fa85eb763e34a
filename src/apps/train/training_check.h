#pragma once

#include <c10/core/Device.h>

#include <string>

#include "config/options.h"

namespace translate {

/// What --check prints: reads and encodes the data and builds the model, without training or leaving anything in the
/// run folder; pairs, vocabularies, parameters, memory, batches and padding of an epoch. `batch_tokens: auto` is
/// measured for it. Throws as they do.
[[nodiscard]] std::string check_training(const Config& wanted, const c10::Device& device);

}  // namespace translate
