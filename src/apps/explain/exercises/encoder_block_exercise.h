#pragma once

#include "apps/explain/exercises/exercise_kind.h"

namespace translate {

/// A whole layer of the encoder by EncoderBlock: self-attention and feed-forward in residual connections, pre-norm or
/// post-norm. Its steps have the names of the stages that the modules report.
[[nodiscard]] ExerciseKind encoder_block_exercise();

}  // namespace translate
