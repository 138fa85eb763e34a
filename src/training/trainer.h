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
#include "checkpoint/runs.h"
#include "checkpoint/tensors/training_state.h"
#include "config/options.h"
#include "data/batches/bilingual_dataset.h"
#include "data/batches/data_loader.h"
#include "data/training_data.h"
#include "model/modules/transformer.h"
#include "training/gradient_pass.h"
#include "training/loss/loss.h"
#include "training/optimizer/optimizer.h"
#include "training/optimizer/weight_average.h"
#include "training/reporter.h"
#include "training/run_directory.h"
#include "training/validator.h"

namespace translate {

/// Trains one model in one run folder, from its initial or resumed state until a limit or a signal.
class Trainer {
 public:
  /// Builds the model from the configuration's seed. `run` must be open and outlive the trainer.
  Trainer(Config config, TrainingData data, RunDirectory& run, c10::Device device);

  /// Starts from these weights, with a fresh optimizer; `origin` names them in errors.
  void initialise(const NamedTensors& weights, const std::string& origin);

  /// Resumes from a checkpoint: weights, their moving average, moments and counters. Throws CheckpointError.
  void resume(const Checkpoint& checkpoint);

  /// Trains. Throws RuntimeError if the loss or a gradient is not finite, or if the run folder was removed, replaced or
  /// renamed; in the last case the training so far is saved there first.
  TrainingOutcome run();

  [[nodiscard]] const Transformer& model() const { return model_; }
  [[nodiscard]] const TrainingState& state() const { return state_; }

 private:
  // One epoch, or the rest of one.
  void run_epoch();
  std::optional<Batch> next_batch(EpochLoader& loader) const;
  void train_step(std::span<const Batch> batches);
  void after_step(bool epoch_ended);

  // Parts of run_epoch, and their bookkeeping.
  void validate();
  void save();
  void finish();
  void advance_clock();
  void flush_losses();
  void check_updates();
  void check_run_folder();
  [[nodiscard]] bool should_stop();

  Config config_;
  TrainingData data_;
  RunDirectory& run_;
  c10::Device device_;
  Precision precision_;
  Transformer model_{nullptr};
  std::optional<Optimizer> optimizer_;
  std::optional<WeightAverage> average_;  ///< if training.ema_decay asks for it
  std::optional<GradientPass> gradient_pass_;
  std::optional<Validator> validator_;
  std::optional<Reporter> reporter_;
  TrainingState state_;
  LossTally losses_;             ///< losses not yet in state_.window
  StepTrail trail_;              ///< the steps whose updates are not yet known to be made
  std::optional<double> score_;  ///< of the model that is saved now, if it was validated
  std::int64_t saved_step_ = -1;
  std::filesystem::path checkpoint_;  ///< the last one saved or resumed from
  std::int64_t validated_step_ = -1;
  std::chrono::steady_clock::time_point clock_;       ///< state_.seconds counts up to here
  std::chrono::steady_clock::time_point step_start_;  ///< of the current step, including the wait for its batches
  std::chrono::steady_clock::time_point folder_checked_;
  std::optional<std::string> stop_reason_;
  bool padding_told_ = false;
};

}  // namespace translate
