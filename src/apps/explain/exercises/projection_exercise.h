#pragma once

#include "apps/explain/exercises/exercise_kind.h"

namespace translate {

/// The logits of a vocabulary by ProjectionLayer, or given ones, and their softmax.
[[nodiscard]] ExerciseKind projection_exercise();

}  // namespace translate
