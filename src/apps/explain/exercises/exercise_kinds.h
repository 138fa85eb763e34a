#pragma once

#include <vector>

#include "apps/explain/exercises/exercise_kind.h"

namespace translate {

/// Returns all kinds of exercises; the first is that of files that name none.
[[nodiscard]] std::vector<ExerciseKind> exercise_kinds();

}  // namespace translate
