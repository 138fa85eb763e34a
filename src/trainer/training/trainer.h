#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoints/training_state.h"
#include "config/options.h"
#include "data/batches/bilingual_dataset.h"
#include "data/batches/data_loader.h"
#include "data/training_data.h"
#include "modules/transformer.h"
#include "processes/collectives/process_group.h"
#include "processes/process_place.h"
#include "training/alignment_measure.h"
#include "training/data_parallel/gradient_exchange.h"
#include "training/data_parallel/parameter_shards.h"
#include "training/explanation/step_explanation.h"
#include "training/gradient_pass.h"
#include "training/loss/loss.h"
#include "training/non_finite.h"
#include "training/optimizer/optimizer.h"
#include "training/optimizer/weight_average.h"
#include "training/reporter.h"
#include "training/run_directory.h"
#include "training/training_outcome.h"
#include "training/validator.h"

namespace translate::trainer {

/// Trains one model in one run folder, from its initial or resumed state until a limit or a signal.
///
/// With several processes, each has a trainer: they divide the batches of each update and of a validation, add up what
/// they find, and make the same update. Only the first one writes and reports; `run` is not open in the others.
class Trainer {
 public:
  /// Builds the model from the configuration's seed. `run` must be open in the first process; both references must
  /// outlive the trainer. `sharding`: whether several processes divide the optimizer's state.
  Trainer(Config config, TrainingData data, RunDirectory& run, c10::Device device, ProcessGroup& group,
          OptimizerSharding sharding);

  /// Starts from these weights, with a fresh optimizer; `origin` names them in errors.
  void initialise(const NamedTensors& weights, const std::string& origin);

  /// Resumes from a checkpoint: weights, their moving average, moments and counters. Throws CheckpointError.
  void resume(const Checkpoint& checkpoint);

  /// Has training.patience count the validations from now on.
  void restart_patience() { state_.validations_since_best = 0; }

  /// Gives all processes the state of the first one: weights, average, moments, counters. To be called by all before
  /// run(), after the first one has been initialised or resumed.
  void share_state();

  /// Trains. Throws RuntimeError if the loss or a gradient is not finite and training cannot go on
  /// (TrainingOptions::if_not_finite), or if the run folder was removed, replaced or
  /// renamed; in the last case the training so far is saved there first. Throws ProcessLost if another process ends.
  TrainingOutcome run();

  /// Makes the next step in memory and returns everything that happens in it: its batches, its random numbers and its
  /// update are those with which run() would continue. Writes nothing. The trainer is alone, and is not used
  /// afterwards. Throws RuntimeError if the loss or a gradient is not finite.
  [[nodiscard]] StepExplanation explain_step();

  [[nodiscard]] const Transformer& model() const { return model_; }
  [[nodiscard]] const TrainingState& state() const { return state_; }

 private:
  /// Numbers on which all processes agree once in each update.
  struct Agreement {
    std::int64_t target_tokens = 0;  ///< of the update, in all processes
    double seconds = 0.0;            ///< of training, as the first process counts
    std::optional<int> signal;       ///< a stop signal that any process has got
    bool folder_moved = false;       ///< the first process has noticed it
  };

  /// The outcome of a step.
  enum class StepResult {
    kUpdated,
    kSkipped,   ///< it was not finite: no update was made, and the step does not count
    kWentBack,  ///< it was not finite: the state is that of the last checkpoint
  };

  void connect(OptimizerSharding sharding);
  void share_with_others();
  void share_moments();

  // One epoch, or the rest of one.
  void run_epoch();
  bool end_stage(const EpochLoader& loader, double passes);  ///< enters the next stage if this one is at a limit
  [[nodiscard]] EpochLoader rest_of_epoch() const;
  [[nodiscard]] std::vector<Batch> take_batches(EpochLoader& loader) const;  ///< of the next step, on the device
  [[nodiscard]] StepResult train_step(std::span<const Batch> batches);
  void log_pairs(std::span<const Batch> batches) const;
  void agree(std::int64_t target_tokens);
  void update_weights(const LossSums& sums);  ///< from the gradients, at the rate of step state_.step
  void after_step(StepResult result, bool epoch_ended);
  void report_early();

  // Parts of explain_step: trainer_explanation.cpp.
  void explain_batches(std::span<const Batch> batches, StepExplanation& step);
  void explain_update(std::span<const Batch> batches, StepExplanation& step);

  // Steps that are not finite: trainer_recovery.cpp.
  [[nodiscard]] bool reads_each_update() const;
  [[nodiscard]] StepResult recover(const RefusedUpdate& update, std::span<const Batch> batches);
  void go_back();
  [[nodiscard]] std::string describe_refused(RefusedUpdate update, std::span<const Batch> batches);

  // Parts of run_epoch, and their bookkeeping.
  void validate();
  void save();
  [[nodiscard]] std::vector<MeasuredAttention> measure_alignments();
  void find_aligning_head();
  void report_alignments();
  [[nodiscard]] std::string card() const;  ///< of the checkpoint that is saved now
  void finish();
  void advance_clock();
  void flush_losses();
  void check_updates();
  void follow_run_folder();
  [[noreturn]] void stop_in_moved_folder();
  [[nodiscard]] bool agrees(bool value_of_first);
  [[nodiscard]] bool should_stop();

  Config config_;
  TrainingData data_;
  RunDirectory& run_;
  ProcessGroup& group_;
  c10::Device device_;
  Precision precision_;
  Transformer model_{nullptr};
  std::optional<ParameterShards> shards_;  ///< if several processes divide the optimizer's state
  std::optional<Optimizer> optimizer_;
  std::optional<WeightAverage> average_;      ///< if training.ema_decay asks for it
  std::optional<GradientExchange> exchange_;  ///< if there are several processes
  std::optional<GradientPass> gradient_pass_;
  std::optional<Validator> validator_;
  std::optional<Reporter> reporter_;  ///< of the first process
  TrainingState state_;
  LossTally losses_;     ///< losses not yet in state_.window
  at::Tensor own_loss_;  ///< of the latest step, in this process
  StepTrail trail_;      ///< the steps whose updates are not yet known to be made
  std::int64_t skipped_in_a_row_ = 0;
  std::int64_t returned_to_ = -1;         ///< the step of the checkpoint that training went back to last
  std::int64_t returns_ = 0;              ///< to that checkpoint
  std::optional<ValidationScore> score_;  ///< of the model that is saved now, if it was validated
  std::optional<Confidence> confidence_;  ///< of the same validation
  std::int64_t saved_step_ = -1;
  std::filesystem::path checkpoint_;  ///< the last one saved or resumed from
  std::int64_t validated_step_ = -1;
  std::chrono::steady_clock::time_point clock_;       ///< state_.seconds counts up to here
  std::chrono::steady_clock::time_point step_start_;  ///< of the current step, including the wait for its batches
  std::chrono::steady_clock::time_point folder_checked_;
  std::optional<std::filesystem::path> moved_from_;  ///< the run folder's former path, if it was moved
  double early_interval_ = 10.0;                     ///< seconds between two early reports
  std::optional<double> next_early_report_;          ///< in seconds of training; none after the first report
  Agreement agreed_;
  std::optional<std::string> stop_reason_;
  bool padding_logged_ = false;
  std::int64_t stage_logged_ = -1;
  bool finds_aligning_head_ = false;  ///< for each checkpoint; otherwise the configuration names the attention
  std::optional<AlignmentMeasure> alignment_measure_;  ///< made when it is needed first
};

}  // namespace translate::trainer
