#pragma once

#include <span>
#include <string>
#include <vector>

#include "checkpoint/runs.h"

namespace translate {

/// Runs and their checkpoints as the lines of a table: step, validation score, languages, size, date, and which of them
/// --checkpoint calls latest and best. No line where there is no run.
[[nodiscard]] std::vector<std::string> run_table(std::span<const RunSummary> runs);

/// A JSON object for each run, its checkpoints in it; dates in UTC.
[[nodiscard]] std::vector<std::string> run_objects(std::span<const RunSummary> runs);

}  // namespace translate
