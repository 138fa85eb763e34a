#pragma once

#include "apps/explain/exercises/exercise_kind.h"

namespace translate {

/// Attention (paper, equation 1) by attention(): given queries, keys and values, or rows that are projected; with
/// several heads, a mask and a last projection if the file has them.
[[nodiscard]] ExerciseKind attention_exercise();

}  // namespace translate
