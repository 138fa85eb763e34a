#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "translate/apps/program.h"
#include "translate/checkpoint/checkpoint.h"
#include "translate/decoding/loaded_model.h"
#include "translate/decoding/translator.h"

namespace translate {

/// Which checkpoint a program works with.
struct CheckpointOptions {
  std::string checkpoint = "latest";  ///< latest, best, step-N or a path
  std::string run_dir;                ///< the run that names refer to (empty: the one under runs/ written last)
};

/// Adds --checkpoint and --run-dir.
void add_checkpoint_options(CLI::App& app, CheckpointOptions& options);

/// Opens it. Throws as open_checkpoint does.
[[nodiscard]] Checkpoint open_checkpoint(const CheckpointOptions& options, Verify verify);

/// A translator over a loaded model, by its configuration and the program's --precision.
[[nodiscard]] Translator make_translator(const LoadedModel& loaded, const c10::Device& device,
                                         const CommonOptions& options);

}  // namespace translate
