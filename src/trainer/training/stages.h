#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "checkpoints/training_state.h"
#include "config/options.h"

namespace translate::trainer {

/// Returns the configuration with the weights and modifiers of the stage that a training is in. Behind the last stage,
/// and without stages, it stays as it is.
[[nodiscard]] Config config_of_stage(Config config, const StageState& stage);

/// Returns the passes that a stage has made: through all corpora together (an epoch has as many draws as there are
/// pairs), or, with StageOptions::corpus, through that one. `config` is that of the stage; `epoch_batches` is the
/// number of batches of the current epoch; `pairs_of_files` as for CorpusMixture.
[[nodiscard]] double epochs_in_stage(const Config& config, const TrainingState& state, std::size_t epoch_batches,
                                     std::span<const std::uint64_t> pairs_of_files);

/// Returns the limit of a stage that a training has reached, as text ("steps = 500"), or nothing. `epochs` as above,
/// `seconds` of training so far.
[[nodiscard]] std::optional<std::string> stage_limit_reached(const StageOptions& stage, const TrainingState& state,
                                                             double epochs, double seconds);

/// Enters the next stage. It begins with an epoch of its own, and patience counts from there.
void enter_next_stage(TrainingState& state, double seconds);

/// A stage in words, for the log.
[[nodiscard]] std::string describe_stage(const Config& config, const StageState& stage);

}  // namespace translate::trainer
