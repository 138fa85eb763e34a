#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "checkpoints/training_state.h"
#include "config/options.h"

namespace translate::trainer {

/// Returns the learning rate of `step` (counted from 1), a pure function of it, to be set before the update:
/// noam          factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)   (paper, equation 3)
/// inverse_sqrt  peak * min(step / warmup, sqrt(warmup / step))
/// cosine        peak * step / warmup, then half a cosine down to 0 at max_steps
/// linear        peak * step / warmup, then a straight line down to 0 at max_steps
/// constant      peak * min(step / warmup, 1)
/// A warm-up of 0 steps counts as 1. Cosine and linear need max_steps (checked with the configuration).
[[nodiscard]] double learning_rate_at(const TrainingOptions& options, std::int64_t d_model, std::int64_t step);

/// The learning rate of a step by a run's former configuration, and by the one that resumes it.
struct RateChange {
  double before = 0.0;
  double now = 0.0;
};

/// Returns how the rate of `step`, the next one of a resumed run, differs from what it would have been: the schedules
/// that fall to 0 at training.max_steps change with this limit. Returns nothing if the schedule is as before.
[[nodiscard]] std::optional<RateChange> rate_change(const TrainingOptions& before, const TrainingOptions& now,
                                                    std::int64_t d_model, std::int64_t step);

/// Returns the limit of the configuration that the run has reached, as text ("max_steps = 500"), or nothing. `seconds`:
/// the training time so far, as all processes know it.
[[nodiscard]] std::optional<std::string> limit_reached(const TrainingOptions& options, const TrainingState& state,
                                                       double seconds);

/// Returns the number of steps in an epoch of `batches` batches. The last step may have fewer batches than
/// training.accumulation_steps.
[[nodiscard]] double steps_per_epoch(std::size_t batches, const TrainingOptions& options);

/// Returns the seconds until the first of the step, epoch and time limits at the present pace: `seconds_per_step`, and
/// `steps_per_epoch` steps per epoch. Returns nothing if no such limit is set or the pace is not known yet.
[[nodiscard]] std::optional<double> seconds_left(const TrainingOptions& options, const TrainingState& state,
                                                 double seconds_per_step, double steps_per_epoch);

/// Returns the share of the run that is done, 0 to 1, by the nearest of the step, epoch and time limits; nothing if
/// none of them is set.
[[nodiscard]] std::optional<double> share_done(const TrainingOptions& options, const TrainingState& state,
                                               double steps_per_epoch);

/// Returns whether an event that happens at `interval` is due after the step just made. `epoch_ended` tells whether
/// that step was the last of an epoch.
[[nodiscard]] bool is_due(const Interval& interval, std::int64_t step, bool epoch_ended);

}  // namespace translate::trainer
