#pragma once

#include <c10/core/Device.h>

#include <filesystem>

#include "translate/checkpoint/checkpoint.h"
#include "translate/config/options.h"
#include "translate/model/transformer.h"
#include "translate/text/get_or_build_tokenizer.h"

namespace translate {

/// A checkpoint ready to translate.
struct LoadedModel {
  Config config;
  TokenizerPair tokenizers;
  Transformer model{nullptr};  ///< on the device, in evaluation mode
};

/// The files of a model that is no checkpoint of ours: weights from elsewhere and what goes with them.
struct ModelFiles {
  std::filesystem::path weights;  ///< safetensors, or a file of torch.save (see read_weights_file)
  Config config;                  ///< its `model` and `decoding` count
  TokenizerPair tokenizers;
};

/// The tokenizers stored in a checkpoint. Throws CheckpointError where they are none.
[[nodiscard]] TokenizerPair load_tokenizers(const Checkpoint& checkpoint);

/// Builds the model of a checkpoint and fills it with its weights. Throws CheckpointError.
[[nodiscard]] LoadedModel load_model(const Checkpoint& checkpoint, const c10::Device& device);

/// The same for a file of weights, whose layout decides whether attention has biases. Logs what was adapted.
[[nodiscard]] LoadedModel load_model(const ModelFiles& files, const c10::Device& device);

}  // namespace translate
