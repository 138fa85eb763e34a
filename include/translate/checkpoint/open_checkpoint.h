#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "translate/checkpoint/checkpoint.h"

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

}  // namespace translate
