#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "interop/export/model_to_export.h"
#include "model/memory_need.h"
#include "model/parameters.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"

namespace translate::tools {

/// Options of a model of one layer and width 4.
inline ModelOptions tiny_options() {
  ModelOptions options;
  options.d_model = 4;
  options.encoder_layers = 1;
  options.decoder_layers = 1;
  options.num_heads = 2;
  options.d_ff = 6;
  options.layer_norm = LayerNormKind::kTorch;
  options.layer_norm_epsilon = 1e-5;
  options.max_positions = 8;
  return options;
}

/// The value of number `index` of the parameter at `place` of the table: different for all of them.
inline float tiny_value(std::size_t place, std::size_t index) {
  return static_cast<float>(place) + static_cast<float>(index) / 1024.0F;
}

/// A tokenizer of few subwords; the same for the same options.
inline Tokenizer tiny_tokenizer(TokenizerType type = TokenizerType::kBpe, const std::string& text = "the cat sat",
                                const std::vector<std::string>& tags = {}) {
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = 24;
  const std::vector<std::string> sentences = {text, "a cat", "the mat"};
  return train_tokenizer(options, {sentences}, tags);
}

/// A model whose every weight is tiny_value.
inline ModelToExport tiny_model(const ModelOptions& options, const TokenizerPair& tokenizers) {
  ModelToExport model{.config = {},
                      .tokenizers = tokenizers,
                      .weights = {},
                      .origin = "model.safetensors",
                      .facts = {.title = "en-fr/best",
                                .directions = {{.source = "en", .target = "fr", .tag = {}}},
                                .step = 1500,
                                .score = {},
                                .is_average = false}};
  model.config.model = options;
  std::size_t place = 0;
  for (const auto& [name, shape] : parameter_shapes(options, vocabulary_sizes(tokenizers))) {
    std::size_t count = 1;
    for (const auto size : shape) {
      count *= static_cast<std::size_t>(size);
    }
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(tiny_value(place, i));
    }
    model.weights.emplace_back(name, stored_floats(shape, std::move(values)));
    ++place;
  }
  return model;
}

inline ModelToExport tiny_model(const ModelOptions& options = tiny_options()) {
  const auto tokenizer = tiny_tokenizer();
  return tiny_model(options, {tokenizer, tokenizer});
}

/// The numbers of a model's weight.
inline std::vector<float> weight_of(const ModelToExport& model, const std::string& name) {
  const auto found = std::ranges::find(model.weights, name, [](const auto& weight) { return weight.first; });
  const auto numbers = as_floats(found->second, name);
  return {numbers.get(), numbers.get() + found->second.count()};
}

}  // namespace translate::tools
