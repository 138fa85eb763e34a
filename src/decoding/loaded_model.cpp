#include "translate/decoding/loaded_model.h"

#include "translate/checkpoint/average_weights.h"
#include "translate/core/file.h"

namespace translate {

TokenizerPair load_tokenizers(const Checkpoint& checkpoint) {
  const auto load = [](const std::filesystem::path& file) {
    return Tokenizer::from_serialized(read_file(file), file.string());
  };
  return {.source = load(checkpoint.source_tokenizer()), .target = load(checkpoint.target_tokenizer())};
}

LoadedModel load_model(std::span<const Checkpoint> checkpoints) {
  const auto& checkpoint = checkpoints.front();
  return {.config = checkpoint.config(),
          .tokenizers = load_tokenizers(checkpoint),
          .weights = average_weights(checkpoints),
          .origin = (checkpoint.folder() / kModelFile).string()};
}

}  // namespace translate
