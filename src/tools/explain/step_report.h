#pragma once

#include <string>

#include "training/explanation/step_explanation.h"

namespace translate::tools {

/// Returns the explanation of a training step for learners, as text of 80 columns: its batch, teacher forcing with the
/// loss at each position of a short pair, the smoothed target, dropout, gradients and update by module, and one weight.
[[nodiscard]] std::string step_text(const trainer::StepExplanation& step);

/// Returns the same for programs, with every pair, position and parameter, as one JSON object on one line.
[[nodiscard]] std::string step_json(const trainer::StepExplanation& step);

}  // namespace translate::tools
