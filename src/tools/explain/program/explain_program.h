#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace translate::tools {

/// Returns the options of translate-explain for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> explain_command_line();

/// Runs translate-explain and returns its exit code.
int run_explain(int argc, char** argv);

}  // namespace translate::tools
