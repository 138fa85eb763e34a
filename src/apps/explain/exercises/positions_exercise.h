#pragma once

#include "apps/explain/exercises/exercise_kind.h"

namespace translate {

/// The sinusoidal positional encoding (paper, section 3.5) of some positions, by sinusoidal_positions().
[[nodiscard]] ExerciseKind positions_exercise();

}  // namespace translate
