#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace translate::tools {

/// Returns the options of translate-eval for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> eval_command_line();

/// Runs translate-eval and returns its exit code.
int run_eval(int argc, char** argv);

}  // namespace translate::tools
