#pragma once

#include <span>

#include "translate/checkpoint/checkpoint.h"
#include "translate/checkpoint/stored_array.h"

namespace translate {

/// The mean of the checkpoints' weights, summed in double precision and kept in single (as Vaswani et al. 2017, section
/// 6.1, and others average the last checkpoints of a run); of one alone its own, as Checkpoint::weights gives them.
/// Throws CheckpointError where the checkpoints hold different weights.
[[nodiscard]] NamedArrays average_weights(std::span<const Checkpoint> checkpoints);

}  // namespace translate
