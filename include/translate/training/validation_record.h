#pragma once

#include <optional>

#include "translate/checkpoint/training_state.h"
#include "translate/config/options.h"
#include "translate/training/validator.h"

namespace translate {

/// What a validation says of the weights.
struct ValidationVerdict {
  std::optional<double> score;  ///< the figure that `metric` names; none where it is not finite
  bool is_best = false;         ///< of the run so far
};

/// Takes a validation into the state: the last and the best score, and how many validations ago that was, which
/// training.patience limits. That of step 0, before the first update, is neither the best nor counted: it is not a
/// score of anything that training made.
ValidationVerdict record_validation(const ValidationResult& result, BestMetric metric, TrainingState& state);

/// For a state saved by an older version, which let the score of step 0 be the best: forgets it, with the count of
/// validations since, so that the next one is the best so far.
void forget_best_of_step_0(TrainingState& state);

}  // namespace translate
