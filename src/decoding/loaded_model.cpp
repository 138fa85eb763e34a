#include "translate/decoding/loaded_model.h"

#include <fmt/format.h>

#include <utility>

#include "translate/checkpoint/average_weights.h"
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

LoadedModel::LoadedModel(Config of_model, TokenizerPair of_text, NamedTensors weights, Place place)
    : config(std::move(of_model)),
      tokenizers(std::move(of_text)),
      weights_(std::move(weights)),
      place_(std::move(place)) {}

LoadedModel::LoadedModel(Config of_model, TokenizerPair of_text, Transformer model)
    : config(std::move(of_model)),
      tokenizers(std::move(of_text)),
      weights_(unique_parameters(model)),
      model_(std::move(model)) {}

const Transformer& LoadedModel::model() const {
  if (!model_) {
    Transformer model(config.model, vocabulary_sizes(tokenizers));
    load_parameters(model, weights_, place_.origin);
    model->to(place_.device);
    model->eval();
    model_ = std::move(model);
  }
  return model_;
}

LoadedModel load_model(const Checkpoint& checkpoint, const c10::Device& device) {
  return load_model(std::span(&checkpoint, 1), device);
}

LoadedModel load_model(std::span<const Checkpoint> checkpoints, const c10::Device& device) {
  const auto& checkpoint = checkpoints.front();
  return {checkpoint.config(),
          load_tokenizers(checkpoint),
          average_weights(checkpoints),
          {.origin = (checkpoint.folder() / kModelFile).string(), .device = device}};
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
  return {std::move(config), files.tokenizers, model};
}

}  // namespace translate
