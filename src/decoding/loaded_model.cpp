#include "translate/decoding/loaded_model.h"

#include <fmt/format.h>

#include <utility>

#include "translate/checkpoint/weights_file.h"
#include "translate/core/file.h"
#include "translate/core/logging.h"

namespace translate {

TokenizerPair load_tokenizers(const Checkpoint& checkpoint) {
  const auto load = [](const std::filesystem::path& file) {
    return Tokenizer::from_serialized(read_file(file), file.string());
  };
  return {.source = load(checkpoint.source_tokenizer()), .target = load(checkpoint.target_tokenizer())};
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

LoadedModel load_model(const ModelFiles& files, const c10::Device& device) {
  auto file = read_weights_file(files.weights);
  auto config = files.config;
  config.model = fit_options(config.model, file.weights, file.notes);
  Transformer model(config.model, vocabulary_sizes(files.tokenizers));
  const auto origin = files.weights.string();
  load_parameters(model, fit_weights(std::move(file.weights), model, origin, file.notes), origin);
  if (file.step) {
    log_info(fmt::format("{}: weights after {} steps", origin, *file.step));
  }
  for (const auto& note : file.notes) {
    log_info(fmt::format("{}: {}", origin, note));
  }
  model->to(device);
  model->eval();
  return {.config = std::move(config), .tokenizers = files.tokenizers, .model = model};
}

}  // namespace translate
