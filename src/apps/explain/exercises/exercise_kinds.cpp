#include "apps/explain/exercises/exercise_kinds.h"

#include "apps/explain/exercises/attention_exercise.h"
#include "apps/explain/exercises/encoder_block_exercise.h"
#include "apps/explain/exercises/feed_forward_exercise.h"
#include "apps/explain/exercises/layer_norm_exercise.h"
#include "apps/explain/exercises/learning_rate_exercise.h"
#include "apps/explain/exercises/loss_exercise.h"
#include "apps/explain/exercises/positions_exercise.h"
#include "apps/explain/exercises/projection_exercise.h"

namespace translate {

std::vector<ExerciseKind> exercise_kinds() {
  return {attention_exercise(),     positions_exercise(),  layer_norm_exercise(), feed_forward_exercise(),
          encoder_block_exercise(), projection_exercise(), loss_exercise(),       learning_rate_exercise()};
}

}  // namespace translate
