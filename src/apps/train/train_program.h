#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "config/options.h"
#include "decoding/model_backend.h"
#include "training/training_run.h"

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

/// The options of translate-train, for its man page and completions; not to be parsed with.
[[nodiscard]] std::shared_ptr<const CLI::App> train_command_line();

/// The whole of translate-train, on the device that the backend finds. Returns its exit code.
int run_train(int argc, char** argv, const ModelBackend& backend);

}  // namespace translate
