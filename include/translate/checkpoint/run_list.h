#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "translate/config/options.h"

namespace translate {

/// A checkpoint of a run, for lists.
struct CheckpointSummary {
  std::int64_t step = 0;
  bool damaged = false;         ///< nothing else is known of it then but its size and date
  std::optional<double> score;  ///< of these very weights on the validation set
  std::uintmax_t bytes = 0;     ///< of all its files
  std::filesystem::file_time_type written;
  bool is_latest = false;  ///< what --checkpoint latest means
  bool is_best = false;    ///< what --checkpoint best means
};

/// A run and its checkpoints, for lists.
struct RunSummary {
  std::filesystem::path folder;
  std::string source_language;                 ///< its code (see language_codes); empty where that is not known
  std::string target_language;                 ///< likewise
  BestMetric metric = BestMetric::kBleu;       ///< what scores are
  std::optional<double> best_score;            ///< of the whole run, of checkpoints that were deleted, too
  std::int64_t step = 0;                       ///< of the newest whole checkpoint (0: there is none)
  std::uintmax_t bytes = 0;                    ///< of everything in the folder
  std::filesystem::file_time_type written;     ///< last
  bool is_default = false;                     ///< taken where a command names no run: the one written last
  std::vector<CheckpointSummary> checkpoints;  ///< the newest first
};

/// The run in `run_dir`, or where that is empty all runs in `runs_dir`, the one written last first. Damaged checkpoints
/// are in the list; what is damaged in them is a warning. Throws ConfigError where `run_dir` holds no run.
[[nodiscard]] std::vector<RunSummary> list_runs(const std::filesystem::path& run_dir,
                                                const std::filesystem::path& runs_dir);

}  // namespace translate
