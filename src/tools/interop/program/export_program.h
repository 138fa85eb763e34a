#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace translate::tools {

/// Returns the options of translate-export for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> export_command_line();

/// Runs translate-export and returns its exit code.
int run_export(int argc, char** argv);

}  // namespace translate::tools
