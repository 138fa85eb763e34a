#pragma once

#include <string>

#include "translate/apps/model_source.h"
#include "translate/data/corpus.h"

namespace translate {

/// The pairs of a model's run to evaluate on. `split` is test, validation, or empty: the test set, and where the
/// configuration names none the validation set, which is told in the log. Files that were moved with the run, or
/// without it, are found again (see find_moved_text). Throws ConfigError where the configuration names no such text,
/// DataError where it is wrong or nowhere to be found.
[[nodiscard]] ParallelCorpus read_evaluation_text(const ModelSource& model, const std::string& split);

}  // namespace translate
