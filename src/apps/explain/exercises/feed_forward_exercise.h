#pragma once

#include "apps/explain/exercises/exercise_kind.h"

namespace translate {

/// The position-wise feed-forward network (paper, equation 2) by FeedForwardBlock.
[[nodiscard]] ExerciseKind feed_forward_exercise();

}  // namespace translate
