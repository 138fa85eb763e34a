#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "serve/program/serve_program.h"

namespace translate::tools {

/// Adds --training, whose values are folders of runs.
void add_training_option(CLI::App& app, std::vector<std::string>& runs);

/// Throws ConfigError if the parsed command line has options that concern translating, beside --training.
void check_training_options(const CLI::App& app);

/// Serves the page of these runs until a signal stops the program; returns its exit code. Throws ConfigError if a path
/// is not a folder, RuntimeError if the address cannot be used.
[[nodiscard]] int serve_trainings(const ServerArguments& arguments, const std::vector<std::string>& runs);

}  // namespace translate::tools
