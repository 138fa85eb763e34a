#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace translate::tools {

/// Returns the options of translate-import for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> import_command_line();

/// Runs translate-import and returns its exit code.
int run_import(int argc, char** argv);

}  // namespace translate::tools
