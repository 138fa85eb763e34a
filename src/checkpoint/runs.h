#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "config/options.h"

namespace translate {

/// The folder, in the current one, that runs lie in where nothing else is said.
inline constexpr const char* kRunsFolder = "runs";

/// A run and when it was written last, by the times of its config.json and its checkpoints' manifests.
struct FoundRun {
  std::filesystem::path folder;
  std::filesystem::file_time_type written;
};

/// The runs among the folders in `runs_dir`, the one written last first. None where there is no such folder.
[[nodiscard]] std::vector<FoundRun> find_runs(const std::filesystem::path& runs_dir);

/// The run in a folder; nothing where the folder is not a run.
[[nodiscard]] std::optional<FoundRun> find_run(const std::filesystem::path& folder);

/// The first of find_runs. Throws ConfigError, saying what to do, where there is none.
[[nodiscard]] std::filesystem::path find_latest_run(const std::filesystem::path& runs_dir);

/// Opens the checkpoints that a command's --checkpoint and --run-dir mean, those whose mean is meant (see
/// CheckpointDirectory::resolve_all) or one. A path stands for itself, RUN/NAME for NAME in the run RUN; a NAME alone
/// refers to `run_dir`, or where that is empty to the run in `runs_dir` that was written last. Throws ConfigError where
/// there is no such run or checkpoint, CheckpointError where it is damaged.
[[nodiscard]] std::vector<Checkpoint> open_checkpoints(const std::string& name, const std::filesystem::path& run_dir,
                                                       const std::filesystem::path& runs_dir, Verify verify);

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
