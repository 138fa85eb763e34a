#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <optional>

#include "checkpoint/checkpoint.h"
#include "config/options.h"
#include "data/training_data.h"
#include "training/initial_weights.h"
#include "training/run_directory.h"
#include "training/trainer.h"

namespace translate::trainer {

/// The start of a training: everything that is read and made before its first step.
struct PreparedStart {
  Config config;  ///< as it is in force: each "auto" on which the training depends is resolved
  TrainingData data;
  std::optional<Checkpoint> checkpoint;   ///< to resume from
  std::optional<InitialWeights> initial;  ///< to start from
};

/// Returns whether a device has instructions for products of bf16, which are then faster than those of fp32.
[[nodiscard]] bool multiplies_bf16(const c10::Device& device);

/// Returns the configuration in which a training.best_metric of "auto" is replaced by the metric that suits the
/// validation references (see choose_best_metric); chrF is logged.
[[nodiscard]] Config with_best_metric(Config config, const TrainingData& data);

/// Prepares the start in the first process, or in the only one, and opens the run, which is the folder. Nothing is
/// written before configuration, data and the weights to start from have been read and checked. Throws the errors of
/// these parts, and ConfigError if the configuration differs from that of the checkpoint in more than may change.
[[nodiscard]] PreparedStart prepare_start(const Config& wanted, const StartOptions& start, const c10::Device& device,
                                          RunDirectory& run);

/// Prepares the same start without opening the run or writing into it: what has to be made lies in `scratch`, which
/// must exist as long as the data is used.
[[nodiscard]] PreparedStart prepare_start_beside(const Config& wanted, const StartOptions& start,
                                                 const c10::Device& device, const RunDirectory& run,
                                                 const std::filesystem::path& scratch);

/// Gives a new trainer the state that it starts from: that of the checkpoint, or the initial weights. Without
/// either it changes nothing.
void start_trainer(Trainer& trainer, PreparedStart& prepared);

}  // namespace translate::trainer
