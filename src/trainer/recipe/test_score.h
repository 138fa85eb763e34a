#pragma once

#include "config/options.h"

namespace translate::trainer {

/// RecipeSteps::measure. Translates the test set of a run with its best checkpoint and the search of its configuration,
/// and logs BLEU and chrF. Throws what reading the text and the checkpoint throw.
void report_test_score(const Config& config);

}  // namespace translate::trainer
