#pragma once

#include "apps/explain/exercises/exercise_kind.h"

namespace translate {

/// The learning rate of the paper (equation 3) at some steps of training, by learning_rate_at().
[[nodiscard]] ExerciseKind learning_rate_exercise();

}  // namespace translate
