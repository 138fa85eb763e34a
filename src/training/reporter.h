#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/tensors/training_state.h"
#include "config/options.h"
#include "core/terminal.h"
#include "data/batches/bilingual_dataset.h"
#include "training/optimizer/optimizer.h"
#include "training/run_directory.h"
#include "training/validator.h"

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

/// Remembers what the latest steps were trained on until it is known that their updates were made: on a GPU that comes
/// out some steps later. Of each step it holds the sizes of its batches and a few of their pairs.
class StepTrail {
 public:
  /// `step`: its number, from 1.
  void add(std::int64_t step, std::span<const Batch> batches);

  /// All steps so far went well.
  void clear() { steps_.clear(); }

  /// The error that tells of an update that was refused: step, loss, gradient, sentences, what may help. `name_pair`
  /// tells where the pair of an index stands.
  [[nodiscard]] std::string describe(const RefusedUpdate& update,
                                     const std::function<std::string(std::int64_t)>& name_pair) const;

 private:
  struct BatchName {
    std::size_t pairs = 0;
    std::vector<std::int64_t> first;  ///< indices of the first ones; of all batches of a step only a few
  };
  struct Step {
    std::int64_t number = 0;
    std::vector<BatchName> batches;
  };

  std::vector<Step> steps_;
};

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
