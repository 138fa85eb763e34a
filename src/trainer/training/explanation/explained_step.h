#pragma once

#include <c10/core/Device.h>

#include "config/options.h"
#include "training/explanation/step_explanation.h"

namespace translate::trainer {

/// Explains the step that training with the same configuration and start would make next: the first one of a new run,
/// or the one after the checkpoint to resume from, also if the run has reached its limit. Makes the step in memory,
/// alone, and writes nothing into the run's folder. Throws the errors of train().
[[nodiscard]] StepExplanation explain_training_step(const Config& wanted, const StartOptions& start,
                                                    const c10::Device& device);

}  // namespace translate::trainer
