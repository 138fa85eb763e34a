#include "explain/exercises/exercise_kinds.h"

namespace translate::tools {

std::vector<ExerciseKind> exercise_kinds() {
  return {attention_exercise(),     positions_exercise(),  layer_norm_exercise(), feed_forward_exercise(),
          encoder_block_exercise(), projection_exercise(), loss_exercise(),       learning_rate_exercise()};
}

}  // namespace translate::tools
