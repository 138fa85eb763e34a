#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace translate {

/// Returns the options of translate-infer for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> infer_command_line();

/// Runs translate-infer and returns its exit code.
int run_infer(int argc, char** argv);

}  // namespace translate
