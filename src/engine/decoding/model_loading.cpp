#include "decoding/model_loading.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "checkpoint/weights_check.h"
#include "checkpoint/weights_file.h"
#include "core/logging.h"
#include "model/memory_need.h"
#include "model/parameters.h"

namespace translate {

TokenizerPair load_tokenizers(const Checkpoint& checkpoint, const TokenizerOptions& options) {
  const auto load = [&](const char* tokenizer, std::string serialized) {
    return Tokenizer::from_serialized(std::move(serialized), checkpoint.tokenizer_path(tokenizer).string());
  };
  const auto source = load(kSourceTokenizer, checkpoint.serialized_tokenizer(kSourceTokenizer));
  auto serialized = checkpoint.serialized_tokenizer(kTargetTokenizer);
  // A model for both languages is read once: reading takes a seventh of a short translation's time.
  const auto target = serialized == source.serialized() ? source : load(kTargetTokenizer, std::move(serialized));
  return {.source = source.for_sources(options.source_sos), .target = target.for_targets()};
}

LoadedModel load_model(std::span<const Checkpoint> checkpoints) {
  const auto& checkpoint = checkpoints.front();
  auto config = checkpoint.config();
  auto tokenizers = load_tokenizers(checkpoint, config.tokenizer);
  return {.config = std::move(config),
          .tokenizers = std::move(tokenizers),
          .weights = average_weights(checkpoints),
          .origin = (checkpoint.folder() / kModelFile).string(),
          // The mean of several checkpoints was not validated.
          .confidence = checkpoints.size() == 1 ? checkpoint.manifest().confidence : std::nullopt,
          .source_words = checkpoint.source_words()};
}

namespace {

/// Returns the parameters of a model in the order of registration. Throws CheckpointError if `weights` are others.
NamedArrays sorted_parameters(NamedArrays weights, const ModelOptions& options, const VocabularySizes& sizes,
                              const std::string& origin) {
  check_weights(options, sizes, weights, origin);
  std::map<std::string, StoredArray> by_name;
  for (auto& [name, array] : weights) {
    by_name.emplace(name, std::move(array));
  }
  NamedArrays sorted;
  for (const auto& [name, shape] : parameter_shapes(options, sizes)) {
    sorted.emplace_back(name, std::move(by_name.at(name)));
  }
  return sorted;
}

}  // namespace

LoadedModel load_weights(const ModelFiles& files) {
  auto file = read_weights_file(files.weights);
  auto config = files.config;
  config.model = fit_options(config.model, file.weights, file.notes);
  const auto origin = files.weights.string();
  const auto sizes = vocabulary_sizes(files.tokenizers);
  // Before check_layer_count, because its message names all sizes of a configuration that is far too large.
  check_memory_need(config.model, sizes, kBytesOfWeight, *cpu_device());
  NamedArrays weights;
  try {
    check_layer_count(config.model, file.weights.size(), origin);
    weights = sorted_parameters(fit_weights(std::move(file.weights), config.model, sizes, origin, file.notes),
                                config.model, sizes, origin);
  } catch (const CheckpointError& error) {
    if (!files.config_file.empty()) {
      throw;
    }
    throw CheckpointError(fmt::format(
        "{}. Without --config the model has the reference's sizes: give those of these weights with --config FILE "
        "(docs/pytorch.md)",
        error.what()));
  }
  if (file.step) {
    log_info(fmt::format("{}: weights after {} steps", origin, *file.step));
  }
  for (const auto& note : file.notes) {
    log_info(fmt::format("{}: {}", origin, note));
  }
  return {.config = std::move(config), .tokenizers = files.tokenizers, .weights = std::move(weights), .origin = origin};
}

}  // namespace translate
