#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "config/options.h"
#include "languages/language_names.h"

namespace translate {

/// The default folder of runs, in the current folder.
inline constexpr const char* kRunsFolder = "runs";

/// A run and the time of its last write, from its config.json and its checkpoints' manifests.
struct FoundRun {
  std::filesystem::path folder;
  std::filesystem::file_time_type written;
};

/// Returns the runs among the folders in `runs_dir`, the one written last first; none if there is no such folder.
[[nodiscard]] std::vector<FoundRun> find_runs(const std::filesystem::path& runs_dir);

/// Returns the run in a folder, or nothing if the folder is not a run.
[[nodiscard]] std::optional<FoundRun> find_run(const std::filesystem::path& folder);

/// Returns the first of find_runs. Throws ConfigError, saying what to do, if there is none.
[[nodiscard]] std::filesystem::path find_latest_run(const std::filesystem::path& runs_dir);

/// Opens the checkpoints that a command's --checkpoint and --run-dir refer to: several if their mean is wanted (see
/// CheckpointDirectory::resolve_all), otherwise one. A path refers to itself, RUN/NAME to NAME in the run RUN; a NAME
/// alone refers to `run_dir`, or if that is empty to the run in `runs_dir` that was written last. Throws ConfigError if
/// there is no such run or checkpoint, CheckpointError if it is damaged.
[[nodiscard]] std::vector<Checkpoint> open_checkpoints(const std::string& name, const std::filesystem::path& run_dir,
                                                       const std::filesystem::path& runs_dir, Verify verify);

/// A checkpoint of a run, for lists.
struct CheckpointSummary {
  std::int64_t step = 0;
  bool damaged = false;         ///< only its size and date are known then
  std::optional<double> score;  ///< of these very weights on the validation set
  std::uintmax_t bytes = 0;     ///< of all its files
  std::filesystem::file_time_type written;
  bool is_latest = false;  ///< --checkpoint latest refers to it
  bool is_best = false;    ///< --checkpoint best refers to it
};

/// A run and its checkpoints, for lists.
struct RunSummary {
  std::filesystem::path folder;
  std::vector<LanguageCodes> languages;        ///< see language_pairs; none if they are unknown
  BestMetric metric = BestMetric::kBleu;       ///< the metric of the scores
  std::optional<double> best_score;            ///< of the whole run, including deleted checkpoints
  std::int64_t step = 0;                       ///< of the newest whole checkpoint (0: there is none)
  std::uintmax_t bytes = 0;                    ///< of everything in the folder
  std::filesystem::file_time_type written;     ///< time of the last write
  bool is_default = false;                     ///< the run of a command that names none: the one written last
  std::vector<CheckpointSummary> checkpoints;  ///< the newest first
};

/// Lists the run in `run_dir`, or if that is empty all runs in `runs_dir`, the one written last first. Damaged
/// checkpoints are listed, with a warning about the damage. Throws ConfigError if `run_dir` holds no run.
[[nodiscard]] std::vector<RunSummary> list_runs(const std::filesystem::path& run_dir,
                                                const std::filesystem::path& runs_dir);

}  // namespace translate
