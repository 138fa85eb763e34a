#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "checkpoint/checkpoint.h"
#include "checkpoint/loaded_model.h"
#include "config/options.h"
#include "text/tokenizer.h"

namespace translate {

/// The parts of a model that is not one of our checkpoints: weights from elsewhere or random ones, with configuration
/// and tokenizers.
struct ModelFiles {
  std::filesystem::path weights;      ///< a file that read_weights_file reads; empty: random weights (see DrawWeights)
  std::filesystem::path config_file;  ///< the file of `config`; empty: it has the reference's sizes
  Config config;                      ///< only `model` and `decoding` are used, and for random weights the seed
  TokenizerPair tokenizers;
};

/// Returns the tokenizers stored in a checkpoint, whose configuration has these options. Throws CheckpointError if they
/// are not valid.
[[nodiscard]] TokenizerPair load_tokenizers(const Checkpoint& checkpoint, const TokenizerOptions& options);

/// Opens the model of a checkpoint. For several checkpoints, the weights are averaged (see average_weights) and
/// everything else is the first one's. Throws CheckpointError.
[[nodiscard]] LoadedModel load_model(std::span<const Checkpoint> checkpoints);

/// Opens a file of weights, which `files` names; its layout decides whether attention has biases. Logs all adaptations.
/// Throws the errors of read_weights_file, fit_weights and check_weights, and RuntimeError if the model does not fit in
/// memory.
[[nodiscard]] LoadedModel load_weights(const ModelFiles& files);

}  // namespace translate
