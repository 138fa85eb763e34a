#pragma once

#include <c10/core/Device.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "translate/apps/program.h"
#include "translate/checkpoint/checkpoint.h"
#include "translate/decoding/loaded_model.h"
#include "translate/decoding/observed_pass.h"
#include "translate/decoding/translator.h"

namespace translate {

/// Which model a program works with.
struct CheckpointOptions {
  std::string checkpoint = "latest";    ///< latest, best, step-N, the path of a checkpoint, or a file of weights
  std::string run_dir;                  ///< the run that names refer to (empty: the one under runs/ written last)
  std::string config;                   ///< with a file of weights: the configuration (empty: every default)
  std::vector<std::string> tokenizers;  ///< with a file of weights: the source's and the target's, or one for both
};

/// Adds --checkpoint, --run-dir, --config and --tokenizers.
void add_checkpoint_options(CLI::App& app, CheckpointOptions& options);

/// A model on disk: a checkpoint, or weights from elsewhere (safetensors or PyTorch) with what goes with them.
class ModelSource {
 public:
  /// Opens what the options name, reading no weights yet. Throws as open_checkpoint, read_model_config and
  /// Tokenizer::load do, and ConfigError where options do not go together.
  ModelSource(const CheckpointOptions& options, Verify verify);

  [[nodiscard]] Config config() const;
  /// The checkpoint's folder or the file of weights.
  [[nodiscard]] std::filesystem::path path() const;
  /// Updates behind the weights; nothing where a file of weights does not tell.
  [[nodiscard]] std::optional<std::int64_t> step() const;
  /// Reads the weights, logging what was adapted. Throws CheckpointError where they do not fit.
  [[nodiscard]] LoadedModel load(const c10::Device& device) const;

 private:
  std::variant<Checkpoint, ModelFiles> source_;
};

/// Where a loaded model computes, by the program's --precision.
[[nodiscard]] PassOptions pass_options(const c10::Device& device, const CommonOptions& options);

/// A translator over a loaded model, by its configuration and the program's --precision.
[[nodiscard]] Translator make_translator(const LoadedModel& loaded, const c10::Device& device,
                                         const CommonOptions& options);

}  // namespace translate
