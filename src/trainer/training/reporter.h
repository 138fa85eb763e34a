#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "checkpoints/training_state.h"
#include "config/options.h"
#include "core/compute_device.h"
#include "core/terminal.h"
#include "training/loss_watch.h"
#include "training/run_directory.h"
#include "training/run_record.h"
#include "training/validator.h"

namespace translate::trainer {

/// The values that the progress line of training shows.
struct TrainingPace {
  const TrainingState& state;
  const TrainingOptions& options;
  double steps_per_epoch = 0.0;
  double seconds_per_step = 0.0;   ///< of the last report (0: none yet)
  std::optional<double> loss;      ///< of the last report
  double tokens_per_second = 0.0;  ///< of the last report (0: none yet)
};

/// Returns a bar with percent, step and total, epoch, loss, target tokens per second, the time left and the score of
/// the best validation so far. If a limit other than max_steps comes first, the total is an estimate and marked with
/// "~"; without any limit there is neither bar nor total.
[[nodiscard]] ProgressLine training_progress(const TrainingPace& pace);

/// Reports how training goes, to people and to programs: log lines, on a terminal also a progress line, and the run's
/// record (RunRecord).
class Reporter {
 public:
  /// `options` and `run` must outlive this object. The memory of `device` is recorded.
  Reporter(const TrainingOptions& options, RunDirectory& run, std::shared_ptr<const ComputeDevice> device);

  /// Notes that training starts, or goes back, to make the step after state.step. To be called before all reports.
  void start(const TrainingState& state);

  /// Sets the number of steps per epoch, from which the time left is estimated.
  void set_steps_per_epoch(double steps) { steps_per_epoch_ = steps; }

  /// Reports the steps gathered in state.window, which is then emptied.
  void report_training(TrainingState& state, double learning_rate);

  /// Tells people the mean loss of the steps gathered so far in state.window, whose sum is `loss_sum`, before the first
  /// report is due.
  void report_early(const TrainingState& state, double loss_sum);

  /// Reports a validation.
  void report_validation(const TrainingState& state, const ValidationResult& result, bool is_best);

  /// Flushes the record to the disk, so that a loss of power leaves what was reported before.
  void flush() { record_.flush(); }

  /// Redraws the progress line if it is visible and the last drawing is a moment ago.
  void show_progress_line(const TrainingState& state);

 private:
  const TrainingOptions& options_;
  RunRecord record_;
  double steps_per_epoch_ = 0.0;
  double seconds_per_step_ = 0.0;   ///< of the last report
  double tokens_per_second_ = 0.0;  ///< of the last report
  std::optional<double> loss_;      ///< of the last report
  LossWatch watch_;
  std::int64_t reported_step_ = -1;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace translate::trainer
