#pragma once

#include <filesystem>
#include <string>

#include "translate/config/options.h"
#include "translate/training/training_run.h"

namespace translate {

/// A word as a shell takes it: in single quotes where it holds anything that a shell would change.
[[nodiscard]] std::string shell_word(const std::string& word);

/// How a program beside this one is called in the current folder: by its name where the shell finds it so, else by its
/// path. `executable_dir` is the folder of this program, `search_path` what PATH holds.
[[nodiscard]] std::string command_of(const std::string& program, const std::filesystem::path& executable_dir,
                                     const std::string& search_path);

/// What the user can do when a training has ended: the commands work as they stand, in the current folder. Empty where
/// there is nothing to go on with.
[[nodiscard]] std::string next_steps(const Config& config, const StartOptions& start, const TrainingOutcome& outcome);

}  // namespace translate
