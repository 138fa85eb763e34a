#pragma once

#include <span>
#include <string>
#include <vector>

#include "checkpoint/runs.h"

namespace translate {

/// Returns the runs and their checkpoints as the lines of a table: step, validation score, languages, size, date, and
/// marks for the latest and best of --checkpoint. Returns no line if there is no run.
[[nodiscard]] std::vector<std::string> run_table(std::span<const RunSummary> runs);

/// Returns a JSON object for each run with its checkpoints; dates are in UTC.
[[nodiscard]] std::vector<std::string> run_objects(std::span<const RunSummary> runs);

}  // namespace translate
