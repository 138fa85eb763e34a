#pragma once

#include <c10/core/Device.h>

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

/// The tokenizers stored in a checkpoint. Throws CheckpointError where they are no SentencePiece models.
[[nodiscard]] TokenizerPair load_tokenizers(const Checkpoint& checkpoint);

/// Builds the model of a checkpoint and fills it with its weights. Throws CheckpointError.
[[nodiscard]] LoadedModel load_model(const Checkpoint& checkpoint, const c10::Device& device);

}  // namespace translate
