#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "translate/checkpoint/training_state.h"
#include "translate/config/options.h"
#include "translate/training/run_directory.h"
#include "translate/training/validator.h"

namespace translate {

/// Tells people and metrics.jsonl how training goes: log lines, on a terminal a progress line besides, one JSON
/// object a report.
class Reporter {
 public:
  Reporter(const TrainingOptions& options, RunDirectory& run);

  /// Steps of one pass over the data: what the time left is reckoned with.
  void set_steps_per_epoch(double steps) { steps_per_epoch_ = steps; }

  /// The report of the steps gathered in state.window, which is then emptied.
  void report_training(TrainingState& state, double learning_rate);

  /// The report of a validation.
  void report_validation(const TrainingState& state, const ValidationResult& result, bool is_best);

  /// Draws the progress line anew where it is visible and the last drawing is a moment ago.
  void show_progress_line(const TrainingState& state);

 private:
  const TrainingOptions& options_;
  RunDirectory& run_;
  double steps_per_epoch_ = 0.0;
  double seconds_per_step_ = 0.0;   ///< of the last report
  double tokens_per_second_ = 0.0;  ///< of the last report
  std::optional<double> loss_;      ///< of the last report
  std::int64_t reported_step_ = -1;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace translate
