#pragma once

#include "apps/explain/exercises/exercise_kind.h"

namespace translate {

/// Layer normalisation of rows by LayerNormalization, of either kind.
[[nodiscard]] ExerciseKind layer_norm_exercise();

}  // namespace translate
