#include "translate/decoding/loaded_model.h"

namespace translate {

TokenizerPair load_tokenizers(const Checkpoint& checkpoint) {
  const auto load = [&](std::string bytes, const char* file) {
    return Tokenizer::from_serialized(std::move(bytes), (checkpoint.folder() / file).string());
  };
  return {.source = load(checkpoint.source_spm(), kSourceTokenizerFile),
          .target = load(checkpoint.target_spm(), kTargetTokenizerFile)};
}

LoadedModel load_model(const Checkpoint& checkpoint, const c10::Device& device) {
  auto tokenizers = load_tokenizers(checkpoint);
  auto config = checkpoint.config();
  Transformer model(config.model, vocabulary_sizes(tokenizers));
  load_parameters(model, checkpoint.weights(), (checkpoint.folder() / kModelFile).string());
  model->to(device);
  model->eval();
  return {.config = std::move(config), .tokenizers = std::move(tokenizers), .model = model};
}

}  // namespace translate
