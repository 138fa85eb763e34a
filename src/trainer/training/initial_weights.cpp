#include "training/initial_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/foreign_formats.h"
#include "checkpoint/runs.h"
#include "checkpoint/weights_file.h"
#include "config/key_table.h"
#include "core/error.h"
#include "core/logging.h"
#include "decoding/model_loading.h"
#include "text/tokenizer_agreement.h"

namespace translate::trainer {

namespace {

/// Throws ConfigError if the configuration gives the initial model another meaning: the weights would fit, but not what
/// is computed with them.
void check_same_computation(const InitialWeights& initial, const Config& config) {
  Config of_initial = config;
  of_initial.model = initial.config->model;
  of_initial.tokenizer.source_sos = initial.config->tokenizer.source_sos;
  constexpr std::array kFree = {"model.dropout",
                                "model.attention_dropout",
                                "model.activation_dropout",
                                "model.layer_drop",
                                "model.init",
                                "model.max_positions",
                                "model.alignment_layer",
                                "model.alignment_head",
                                "model.input_alignment_layer",
                                "model.input_alignment_head"};
  std::vector<std::string> differing;
  for (const auto& key : changed_keys(config, of_initial)) {
    if (std::ranges::find(kFree, key) == kFree.end()) {
      differing.push_back(key);
    }
  }
  if (!differing.empty()) {
    throw ConfigError(
        fmt::format("--init {}: that model has other values of: {}. Take those of its configuration (of another "
                    "system's model, translate-import writes one)",
                    initial.origin, fmt::join(differing, ", ")));
  }
}

/// Throws ConfigError if the weights need another setting. The configuration of a run stays as its user wrote it.
void check_fit(const InitialWeights& initial, const Config& config) {
  if (initial.config) {
    check_same_computation(initial, config);
    return;
  }
  const auto& options = config.model;
  std::vector<std::string> ignored;
  const bool bias = fit_options(options, initial.weights, ignored).attention_bias;
  if (bias != options.attention_bias) {
    throw ConfigError(fmt::format("--init {}: the attention of these weights has {}: set model.attention_bias to {}",
                                  initial.origin, bias ? "biases" : "no biases", bias));
  }
}

/// Checks the tokenizers of the weights against the configuration, and tells that they are used.
void take_tokenizers_of(const InitialWeights& initial, const Config& config) {
  const auto& [source, target] = *initial.tokenizers;
  check_tokenizers_of_weights(
      config.tokenizer,
      {.tokenizers = *initial.tokenizers, .options = initial.config->tokenizer, .origin = initial.origin});
  log_info(
      fmt::format("tokenizer: using those of {}: {} source and {} target subwords. The keys of `tokenizer` that "
                  "describe how one is trained (type, vocab_size, ...) have no effect",
                  initial.origin, source.vocab_size(), target.vocab_size()));
}

}  // namespace

InitialWeights open_initial_weights(const std::string& name, const std::filesystem::path& runs_dir) {
  const std::filesystem::path path(name);
  if (const auto* format = CheckpointDirectory::is_name(name) ? nullptr : find_model_format(path)) {
    auto model = format->open(path);
    return {.weights = std::move(model.weights),
            .tokenizers = std::move(model.tokenizers),
            .config = std::move(model.config),
            .origin = name,
            .notes = {}};
  }
  std::error_code ignored;
  if (!CheckpointDirectory::is_name(name) && std::filesystem::is_regular_file(path, ignored)) {
    auto file = read_weights_file(path);
    return {
        .weights = std::move(file.weights), .tokenizers = std::nullopt, .origin = name, .notes = std::move(file.notes)};
  }
  const auto checkpoints = [&] {
    try {
      return open_checkpoints(name, /*run_dir=*/{}, runs_dir, Verify::kFull);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("--init {}: {}", name, error.what()));
    }
  }();
  auto config = checkpoints.front().config();
  auto tokenizers = load_tokenizers(checkpoints.front(), config.tokenizer);
  return {.weights = average_weights(checkpoints),
          .tokenizers = std::move(tokenizers),
          .config = std::move(config),
          .origin = checkpoints.front().folder().string(),
          .notes = {}};
}

InitialWeights load_initial_weights(const std::string& name, const std::filesystem::path& runs_dir,
                                    const Config& config) {
  auto initial = open_initial_weights(name, runs_dir);
  check_fit(initial, config);
  if (initial.tokenizers) {
    take_tokenizers_of(initial, config);
  }
  return initial;
}

}  // namespace translate::trainer
