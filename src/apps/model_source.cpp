#include "translate/apps/model_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "translate/checkpoint/checkpoint_directory.h"
#include "translate/checkpoint/open_checkpoint.h"
#include "translate/config/config_file.h"
#include "translate/config/enum_names.h"
#include "translate/config/find_config.h"
#include "translate/core/error.h"
#include "translate/model/precision.h"

namespace translate {
namespace {

bool is_weights_file(const std::string& name) {
  std::error_code ignored;
  return !CheckpointDirectory::is_name(name) && std::filesystem::is_regular_file(name, ignored);
}

/// --tokenizers, or what the configuration names.
TokenizerPair read_tokenizers(const CheckpointOptions& options, const TokenizerOptions& config) {
  const bool nameless = std::ranges::any_of(options.tokenizers, &std::string::empty);
  if (options.tokenizers.size() > 2 || nameless) {
    throw ConfigError(fmt::format("--tokenizers takes SOURCE,TARGET, or one file for both; got {}",
                                  nameless ? "an empty name" : fmt::format("{} files", options.tokenizers.size())));
  }
  if (options.tokenizers.empty()) {
    if (config.source_model.empty() && config.target_model.empty()) {
      throw ConfigError(
          fmt::format("{} is a file, to hold weights alone: give its tokenizers with --tokenizers SOURCE,TARGET "
                      "(SentencePiece models, or the "
                      "word-level tokenizer.json files of the PyTorch reference)",
                      options.checkpoint));
    }
    return load_ready_tokenizers(config);
  }
  auto source = Tokenizer::load(options.tokenizers.front());
  auto target = options.tokenizers.size() == 1 ? source : Tokenizer::load(options.tokenizers.back());
  return {.source = std::move(source), .target = std::move(target)};
}

std::variant<Checkpoint, ModelFiles> open(const CheckpointOptions& options, Verify verify) {
  if (is_weights_file(options.checkpoint)) {
    auto config = options.config.empty() ? Config() : read_model_config(find_config(options.config, executable_dir()));
    auto tokenizers = read_tokenizers(options, config.tokenizer);
    return ModelFiles{.weights = options.checkpoint, .config = std::move(config), .tokenizers = std::move(tokenizers)};
  }
  if (!options.config.empty() || !options.tokenizers.empty()) {
    throw ConfigError(fmt::format(
        "{} goes with a file of weights (--checkpoint FILE.pt or FILE.safetensors): a checkpoint has its own",
        options.config.empty() ? "--tokenizers" : "--config"));
  }
  return open_checkpoint(options.checkpoint, options.run_dir, "runs", verify);
}

}  // namespace

void add_checkpoint_options(CLI::App& app, CheckpointOptions& options) {
  app.add_option("--checkpoint", options.checkpoint,
                 "Which model: latest, best, step-N, the path of a checkpoint, or a file of weights (.safetensors, or "
                 "PyTorch's .pt) with the two options below")
      ->type_name("WHICH")
      ->capture_default_str();
  app.add_option("--config", options.config, "The configuration of a file of weights (default: the reference's sizes)")
      ->type_name("FILE");
  app.add_option("--tokenizers", options.tokenizers,
                 "Its tokenizers, SentencePiece or word-level JSON; one file alone serves both sides")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("SOURCE,TARGET");
  app.add_option("--run-dir", options.run_dir,
                 "The run of a checkpoint's name (default: the one under runs/ written last)")
      ->type_name("DIR");
}

ModelSource::ModelSource(const CheckpointOptions& options, Verify verify) : source_(open(options, verify)) {}

Config ModelSource::config() const {
  if (const auto* checkpoint = std::get_if<Checkpoint>(&source_)) {
    return checkpoint->config();
  }
  return std::get<ModelFiles>(source_).config;
}

std::filesystem::path ModelSource::path() const {
  if (const auto* checkpoint = std::get_if<Checkpoint>(&source_)) {
    return checkpoint->folder();
  }
  return std::get<ModelFiles>(source_).weights;
}

std::optional<std::int64_t> ModelSource::step() const {
  if (const auto* checkpoint = std::get_if<Checkpoint>(&source_)) {
    return checkpoint->step();
  }
  return std::nullopt;
}

LoadedModel ModelSource::load(const c10::Device& device) const {
  return std::visit([&](const auto& source) { return load_model(source, device); }, source_);
}

PassOptions pass_options(const c10::Device& device, const CommonOptions& options) {
  return {.device = device, .precision = resolve_precision(*from_string<Precision>(options.precision), device)};
}

Translator make_translator(const LoadedModel& loaded, const c10::Device& device, const CommonOptions& options) {
  return {loaded.model, loaded.tokenizers.source, loaded.tokenizers.target,
          translator_options(loaded.config, device, *from_string<Precision>(options.precision))};
}

}  // namespace translate
