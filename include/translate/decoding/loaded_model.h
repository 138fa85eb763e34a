#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "translate/checkpoint/checkpoint.h"
#include "translate/checkpoint/stored_array.h"
#include "translate/config/options.h"
#include "translate/text/get_or_build_tokenizer.h"

namespace translate {

/// A checkpoint ready to translate: what goes with its weights, and the weights as they are stored, of which nothing is
/// read before it is used.
struct LoadedModel {
  Config config;
  TokenizerPair tokenizers;
  NamedArrays weights;  ///< a tied one under its first name
  std::string origin;   ///< what errors call their file
};

/// The files of a model that is no checkpoint of ours: weights from elsewhere and what goes with them.
struct ModelFiles {
  std::filesystem::path weights;  ///< safetensors, or a file of torch.save (see read_weights_file)
  Config config;                  ///< its `model` and `decoding` count
  TokenizerPair tokenizers;
};

/// The tokenizers stored in a checkpoint. Throws CheckpointError where they are none.
[[nodiscard]] TokenizerPair load_tokenizers(const Checkpoint& checkpoint);

/// Opens the model of a checkpoint; of several, with the mean of their weights (see average_weights), the rest being
/// the first one's. Throws CheckpointError.
[[nodiscard]] LoadedModel load_model(std::span<const Checkpoint> checkpoints);

}  // namespace translate
