#include "translate/decoding/loaded_model.h"

#include "translate/checkpoint/average_weights.h"

namespace translate {

TokenizerPair load_tokenizers(const Checkpoint& checkpoint) {
  const auto load = [&](const char* tokenizer) {
    return Tokenizer::from_serialized(checkpoint.serialized_tokenizer(tokenizer),
                                      checkpoint.tokenizer_path(tokenizer).string());
  };
  return {.source = load(kSourceTokenizer), .target = load(kTargetTokenizer)};
}

LoadedModel load_model(std::span<const Checkpoint> checkpoints) {
  const auto& checkpoint = checkpoints.front();
  return {.config = checkpoint.config(),
          .tokenizers = load_tokenizers(checkpoint),
          .weights = average_weights(checkpoints),
          .origin = (checkpoint.folder() / kModelFile).string()};
}

}  // namespace translate
