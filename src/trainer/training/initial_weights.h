#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "config/options.h"
#include "text/tokenizer.h"

namespace translate::trainer {

/// Weights to start from, and the tokenizers that belong to them, if their location tells.
struct InitialWeights {
  NamedArrays weights;  ///< each read when it is first used
  std::optional<TokenizerPair> tokenizers;
  std::optional<Config> config{};  ///< of their model; there if `tokenizers` are
  std::string origin;
  std::vector<std::string> notes;  ///< how the file's layout was adapted
};

/// Opens the weights that --init names, without comparing them with a configuration. Throws the errors of their
/// formats.
[[nodiscard]] InitialWeights open_initial_weights(const std::string& name, const std::filesystem::path& runs_dir);

/// Loads the weights that --init names: a checkpoint (see open_checkpoints, which looks for runs in `runs_dir`),
/// another system's model, or a file of weights. Their tokenizers, if there are any, are used instead of those that
/// `config` describes, which is logged. Throws ConfigError if the weights need another setting, or if `config` names
/// other tokenizers; and the errors of these formats.
[[nodiscard]] InitialWeights load_initial_weights(const std::string& name, const std::filesystem::path& runs_dir,
                                                  const Config& config);

}  // namespace translate::trainer
