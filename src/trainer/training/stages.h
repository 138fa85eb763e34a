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

/// Returns the passes that an epoch of a stage makes: one through all corpora together (an epoch has as many draws as
/// there are pairs), or, with StageOptions::corpus, some through that one. `pairs_of_files` as for CorpusMixture.
[[nodiscard]] double passes_of_epoch(const Config& config, const StageState& stage,
                                     std::span<const std::uint64_t> pairs_of_files);

/// Returns the epochs that a training has made in its stage, of which the current one has so many batches.
[[nodiscard]] double epochs_in_stage(const TrainingState& state, std::size_t epoch_batches);

/// Returns the limit of a stage that a training has reached, as text ("steps = 500"), or nothing. `passes` through
/// what its epochs count, and `seconds` of training so far.
[[nodiscard]] std::optional<std::string> stage_limit_reached(const StageOptions& stage, const TrainingState& state,
                                                             double passes, double seconds);

/// Enters the next stage. It begins with an epoch of its own, and patience counts from there.
void enter_next_stage(TrainingState& state, double seconds);

/// A stage in words, for the log.
[[nodiscard]] std::string describe_stage(const Config& config, const StageState& stage);

}  // namespace translate::trainer
