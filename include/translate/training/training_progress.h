#pragma once

#include <optional>

#include "translate/checkpoint/training_state.h"
#include "translate/config/options.h"
#include "translate/core/progress_line.h"

namespace translate {

/// What the progress line of training is made of.
struct TrainingPace {
  const TrainingState& state;
  const TrainingOptions& options;
  double steps_per_epoch = 0.0;
  double seconds_per_step = 0.0;   ///< of the last report (0: there was none yet)
  std::optional<double> loss;      ///< of the last report
  double tokens_per_second = 0.0;  ///< of the last report (0: there was none yet)
};

/// A bar with percent, step and total, epoch, loss, target tokens a second and the time left. Where a limit other than
/// max_steps comes first, the total is an estimate and marked with "~"; without any limit there are no bar and total.
[[nodiscard]] ProgressLine training_progress(const TrainingPace& pace);

}  // namespace translate
