#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace translate::tools {

/// Returns the options of translate-data for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> data_command_line();

/// Runs translate-data and returns its exit code.
int run_data(int argc, char** argv);

}  // namespace translate::tools
