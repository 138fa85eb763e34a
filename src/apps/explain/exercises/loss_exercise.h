#pragma once

#include "apps/explain/exercises/exercise_kind.h"

namespace translate {

/// The cross entropy of logits with label smoothing and padding, for each position and as the mean, by
/// cross_entropy().
[[nodiscard]] ExerciseKind loss_exercise();

}  // namespace translate
