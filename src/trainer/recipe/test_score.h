#pragma once

#include <filesystem>

#include "config/options.h"

namespace translate::trainer {

/// RecipeSteps::measure for a new model. Translates the test set of a run with its best checkpoint and the search of
/// its configuration, and logs BLEU and chrF; returns an empty path. Throws what reading the text and the checkpoint
/// throw.
[[nodiscard]] std::filesystem::path report_test_score(const Config& config);

}  // namespace translate::trainer
