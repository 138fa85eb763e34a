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
/// training.patience limits.
ValidationVerdict record_validation(const ValidationResult& result, BestMetric metric, TrainingState& state);

}  // namespace translate
