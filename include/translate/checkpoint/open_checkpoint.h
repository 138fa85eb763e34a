#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "translate/checkpoint/checkpoint.h"

namespace translate {

/// The run (a folder in `runs_dir`) that was written last, by the times of its config.json and its checkpoints'
/// manifests. Throws ConfigError, saying what to do, where there is none.
[[nodiscard]] std::filesystem::path find_latest_run(const std::filesystem::path& runs_dir);

/// Opens the checkpoint that a command's --checkpoint and --run-dir mean: names (see CheckpointDirectory::resolve)
/// refer to `run_dir`, or where that is empty to the run in `runs_dir` that was written last; a path stands for itself,
/// and needs no run. Throws ConfigError where there is no such run or checkpoint, CheckpointError where it is damaged.
[[nodiscard]] Checkpoint open_checkpoint(const std::string& name, const std::filesystem::path& run_dir,
                                         const std::filesystem::path& runs_dir, Verify verify);

/// The same for the checkpoints whose mean is meant (see CheckpointDirectory::resolve_all): average, average:N,
/// average-best, average-best:N; one for any other name.
[[nodiscard]] std::vector<Checkpoint> open_checkpoints(const std::string& name, const std::filesystem::path& run_dir,
                                                       const std::filesystem::path& runs_dir, Verify verify);

}  // namespace translate
