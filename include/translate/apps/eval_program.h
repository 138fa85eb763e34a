#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "translate/decoding/model_backend.h"

namespace translate {

/// The options of translate-eval, for its man page and completions; not to be parsed with.
[[nodiscard]] std::shared_ptr<const CLI::App> eval_command_line();

/// The whole of translate-eval. Returns its exit code. Where the backend throws NeedsLibTorch, before any text was
/// read, translate-eval-libtorch goes on.
int run_eval(int argc, char** argv, const ModelBackend& backend);

}  // namespace translate
