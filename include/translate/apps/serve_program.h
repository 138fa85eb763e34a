#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "translate/decoding/model_backend.h"

namespace translate {

/// The options of translate-serve, for its man page and completions; not to be parsed with.
[[nodiscard]] std::shared_ptr<const CLI::App> serve_command_line();

/// The whole of translate-serve. Returns its exit code. Where the backend throws NeedsLibTorch, before the server
/// starts, translate-serve-libtorch goes on.
int run_serve(int argc, char** argv, const ModelBackend& backend);

}  // namespace translate
