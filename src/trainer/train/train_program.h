#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "config/options.h"
#include "train/recipe_request.h"
#include "training/training_outcome.h"

namespace translate::trainer {

/// Quotes a word for a shell: in single quotes if it contains characters that a shell would change.
[[nodiscard]] std::string shell_word(const std::string& word);

/// Returns the command for a program beside this one, as called from the current folder: its name if the shell finds
/// it by that, else its path. `executable_dir` is the folder of this program, `search_path` the value of PATH.
[[nodiscard]] std::string command_of(const std::string& program, const std::filesystem::path& executable_dir,
                                     const std::string& search_path);

/// Returns the next steps for the user when a training has ended; their commands work unchanged in the current folder.
/// Empty if there is nothing to continue with. `model` is the checkpoint to translate with; empty: the best of the run.
[[nodiscard]] std::string next_steps(const Config& config, const StartOptions& start, const TrainingOutcome& outcome,
                                     const std::filesystem::path& model = {});

/// Returns the options of translate-train for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> train_command_line();

/// Runs translate-train and returns its exit code. `recipes` is for a training without a configuration.
int run_train(int argc, char** argv, const RecipeSteps& recipes);

}  // namespace translate::trainer
