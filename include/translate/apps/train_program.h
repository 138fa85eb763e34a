#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "translate/decoding/model_backend.h"

namespace translate {

/// The options of translate-train, for its man page and completions; not to be parsed with.
[[nodiscard]] std::shared_ptr<const CLI::App> train_command_line();

/// The whole of translate-train, on the device that the backend finds. Returns its exit code.
int run_train(int argc, char** argv, const ModelBackend& backend);

}  // namespace translate
