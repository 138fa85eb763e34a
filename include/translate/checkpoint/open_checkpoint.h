#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "translate/checkpoint/checkpoint.h"

namespace translate {

/// The run (a folder in `runs_dir`) that was written last, by the times of its config.json and its checkpoints'
/// manifests. Throws ConfigError, saying what to do, where there is none.
[[nodiscard]] std::filesystem::path find_latest_run(const std::filesystem::path& runs_dir);

/// Opens the checkpoints that a command's --checkpoint and --run-dir mean, those whose mean is meant (see
/// CheckpointDirectory::resolve_all) or one. A path stands for itself, RUN/NAME for NAME in the run RUN; a NAME alone
/// refers to `run_dir`, or where that is empty to the run in `runs_dir` that was written last. Throws ConfigError where
/// there is no such run or checkpoint, CheckpointError where it is damaged.
[[nodiscard]] std::vector<Checkpoint> open_checkpoints(const std::string& name, const std::filesystem::path& run_dir,
                                                       const std::filesystem::path& runs_dir, Verify verify);

}  // namespace translate
