#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "checkpoints/training_state.h"
#include "core/compute_device.h"
#include "training/event_file.h"
#include "training/run_directory.h"
#include "training/validator.h"

namespace translate::trainer {

/// The means over the steps since the last report.
struct TrainingReport {
  double loss = 0.0;                        ///< cross entropy in nats per target token
  double smoothed_loss = 0.0;               ///< the same with label smoothing
  std::optional<double> divergence = {};    ///< of R-Drop or SimCut, in nats per target token
  std::optional<double> guided_loss = {};   ///< of guided alignment, in nats per target token
  double learning_rate = 0.0;               ///< of the last step
  double tokens_per_second = 0.0;           ///< target tokens
  std::optional<double> seconds_left = {};  ///< until the first limit; none if there is none or it is not yet known
};

/// The record of a run for programs: one JSON object for each report in metrics.jsonl and, with training.tensorboard,
/// event files for TensorBoard. All functions throw RuntimeError if a file cannot be written.
class RunRecord {
 public:
  /// `run` must be open and outlive this object. The memory of `device` is recorded if it is not the CPU.
  RunRecord(RunDirectory& run, std::shared_ptr<const ComputeDevice> device);

  /// Begins an event file whose values are those of `step` and later ones, or notes in the one that there is that
  /// training went back to before this step.
  void start_events(std::int64_t step);

  void add(const TrainingState& state, const TrainingReport& report);

  /// `is_best`: the best validation of the run so far.
  void add(const TrainingState& state, const ValidationResult& result, bool is_best);

  /// Flushes all files to the disk, so that a loss of power leaves what was added before.
  void flush();

 private:
  RunDirectory& run_;
  std::shared_ptr<const ComputeDevice> device_;
  std::optional<EventFile> events_;
};

}  // namespace translate::trainer
