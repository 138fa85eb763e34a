#include "decoding/model_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/foreign_formats.h"
#include "checkpoint/runs.h"
#include "config/config_file.h"
#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/process.h"
#include "core/stable_file.h"
#include "corpora/corpus_reader.h"
#include "model/memory_need.h"
#include "text/tokenizer.h"
#include "text/tokenizer_agreement.h"
#include "text/tokenizer_training.h"

namespace translate {

std::vector<std::string> split_names(const std::string& list, const std::function<bool(const std::string&)>& exists) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (true) {
    std::size_t end = list.size();  // the longest name first
    while (end != std::string::npos && end > begin && !exists(list.substr(begin, end - begin))) {
      end = list.rfind(',', end - 1);
      if (end != std::string::npos && end < begin) {
        end = std::string::npos;
      }
    }
    if (end == std::string::npos || end <= begin) {
      end = std::min(list.find(',', begin), list.size());
    }
    names.push_back(list.substr(begin, end - begin));
    if (end == list.size()) {
      return names;
    }
    begin = end + 1;
  }
}

namespace {

bool is_weights_file(const std::string& name) {
  std::error_code ignored;
  return !CheckpointDirectory::is_name(name) && std::filesystem::is_regular_file(name, ignored);
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Loads the tokenizers of --tokenizers, or else those that the configuration names.
TokenizerPair read_tokenizers(const CheckpointOptions& options, const std::string& weights,
                              const TokenizerOptions& config) {
  const auto names =
      options.tokenizers.empty() ? std::vector<std::string>() : split_names(options.tokenizers, is_there);
  const bool nameless = std::ranges::any_of(names, &std::string::empty);
  if (names.size() > 2 || nameless) {
    throw ConfigError(fmt::format("--tokenizers takes SOURCE,TARGET, or one file for both; got {}",
                                  nameless ? "an empty name" : fmt::format("{} files", names.size())));
  }
  if (names.empty()) {
    if (config.source_model.empty() && config.target_model.empty()) {
      throw ConfigError(
          fmt::format("{} is a weights file, which has no tokenizers: give them with --tokenizers SOURCE,TARGET "
                      "(SentencePiece models, or the "
                      "word-level tokenizer.json files of the PyTorch reference)",
                      weights));
    }
    return load_ready_tokenizers(config);
  }
  const auto source = Tokenizer::load(names.front()).removing_ignorable();
  const auto target = names.size() == 1 ? source : Tokenizer::load(names.back()).removing_ignorable();
  return {.source = source.for_sources(config.source_sos), .target = target.for_targets()};
}

/// Trains tokenizers on the example corpus, for a model of random weights.
TokenizerPair example_tokenizers(const TokenizerOptions& options) {
  const auto corpus = find_example_corpus(executable_dir());
  log_info(
      fmt::format("tokenizer: trained on the text of the example corpus in {} (--tokenizers names another tokenizer)",
                  corpus.string()));
  return train_tokenizers(options,
                          {.source = read_lines(corpus / "train.en"), .target = read_lines(corpus / "train.fr")});
}

/// Returns the parts of a model of random weights.
ModelFiles random_model(const CheckpointOptions& options) {
  const auto file = find_config(options.config, executable_dir());
  auto config = read_model_config(file);
  const auto& named = config.tokenizer;
  const bool has_tokenizers = !options.tokenizers.empty() || !named.source_model.empty() || !named.target_model.empty();
  auto tokenizers = has_tokenizers ? read_tokenizers(options, options.config, named) : example_tokenizers(named);
  return {.weights = {}, .config_file = file, .config = std::move(config), .tokenizers = std::move(tokenizers)};
}

/// Returns whether `name` is an existing path, or RUN/NAME of an existing run.
bool names_a_model(const std::string& name) {
  const std::filesystem::path path(name);
  const auto folder = path.parent_path();
  const bool is_in_run = path.has_parent_path() && CheckpointDirectory::is_name(path.filename().string());
  return is_there(name) || (is_in_run && (is_there((folder / kCheckpointsFolder).string()) ||
                                          (folder.filename() == kCheckpointsFolder && is_there(folder.string()))));
}

/// Returns the names of the models in --checkpoint.
std::vector<std::string> model_names(const std::string& checkpoint) {
  auto names = split_names(checkpoint, names_a_model);
  if (names.size() > 1 && std::ranges::any_of(names, &std::string::empty)) {
    throw ConfigError(fmt::format("--checkpoint {}: an empty name", checkpoint));
  }
  return names;
}

/// Adds the states of a file, or of all files in a folder.
void add_stamps(const std::filesystem::path& path, FileStamps& stamps) {
  const auto add = [&](const std::filesystem::path& file) {
    if (std::filesystem::is_regular_file(file)) {
      stamps[file.string()] = StableFile(file).stamp();
    }
  };
  if (!std::filesystem::is_directory(path)) {
    return add(path);
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    add(entry.path());
  }
}

void check_same_tokenizers(const std::vector<LoadedModel>& models) {
  for (const auto& model : std::span(models).subspan(1)) {
    if (const auto side = differing_side(models.front().tokenizers, model.tokenizers)) {
      throw ConfigError(fmt::format(
          "--checkpoint: the models of an ensemble must have the same tokenizers; those of the {} differ", *side));
    }
  }
}

/// Throws ConfigError if there are files that only a file of weights needs.
void refuse_companions(const CheckpointOptions& options) {
  if (!options.config.empty() || !options.tokenizers.empty()) {
    throw ConfigError(
        fmt::format("{} requires a weights file (--checkpoint FILE.pt or FILE.safetensors): a checkpoint has its own",
                    options.config.empty() ? "--tokenizers" : "--config"));
  }
}

}  // namespace

ModelSource::Source ModelSource::open(const std::string& name, const CheckpointOptions& options, Verify verify) {
  if (const auto* format = CheckpointDirectory::is_name(name) ? nullptr : find_model_format(name)) {
    refuse_companions(options);
    return ForeignModel{.path = name, .format = format};
  }
  if (is_weights_file(name)) {
    const auto file = options.config.empty() ? std::filesystem::path() : find_config(options.config, executable_dir());
    auto config = file.empty() ? Config() : read_model_config(file);
    auto tokenizers = read_tokenizers(options, name, config.tokenizer);
    return ModelFiles{
        .weights = name, .config_file = file, .config = std::move(config), .tokenizers = std::move(tokenizers)};
  }
  refuse_companions(options);
  return open_checkpoints(name, options.run_dir, kRunsFolder, verify);
}

ModelSource::ModelSource(const CheckpointOptions& options, Verify verify) {
  if (options.random_weights) {
    sources_.emplace_back(random_model(options));
    names_.push_back(options.config);
    return;
  }
  for (const auto& name : model_names(options.checkpoint)) {
    sources_.push_back(open(name, options, verify));
    names_.push_back(name);
  }
}

Config ModelSource::config() const {
  if (const auto* checkpoints = std::get_if<std::vector<Checkpoint>>(&sources_.front())) {
    return checkpoints->front().config();
  }
  if (const auto* foreign = std::get_if<ForeignModel>(&sources_.front())) {
    return foreign->format->config(foreign->path).value_or(Config());
  }
  return std::get<ModelFiles>(sources_.front()).config;
}

TokenizerPair ModelSource::tokenizers() const {
  if (const auto* checkpoints = std::get_if<std::vector<Checkpoint>>(&sources_.front())) {
    return load_tokenizers(checkpoints->front(), checkpoints->front().config().tokenizer);
  }
  if (const auto* foreign = std::get_if<ForeignModel>(&sources_.front())) {
    return foreign->format->open(foreign->path).tokenizers;
  }
  return std::get<ModelFiles>(sources_.front()).tokenizers;
}

std::optional<Checkpoint> ModelSource::checkpoint() const {
  const auto* checkpoints = std::get_if<std::vector<Checkpoint>>(&sources_.front());
  return checkpoints != nullptr ? std::optional(checkpoints->front()) : std::nullopt;
}

std::filesystem::path ModelSource::path_of(const Source& source) {
  if (const auto* checkpoints = std::get_if<std::vector<Checkpoint>>(&source)) {
    return checkpoints->front().folder();
  }
  const auto* foreign = std::get_if<ForeignModel>(&source);
  if (foreign != nullptr) {
    return foreign->path;
  }
  const auto& files = std::get<ModelFiles>(source);
  return files.weights.empty() ? files.config_file : files.weights;
}

std::filesystem::path ModelSource::path() const { return path_of(sources_.front()); }

std::vector<std::filesystem::path> ModelSource::paths() const {
  std::vector<std::filesystem::path> paths;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto& source = sources_[i];
    auto path = path_of(source);
    const auto* checkpoints = std::get_if<std::vector<Checkpoint>>(&source);
    if (checkpoints != nullptr && checkpoints->size() > 1) {
      const auto name = std::filesystem::path(names_[i]).filename().string();  // average, average:5
      path.replace_filename(fmt::format("{}:{}", name.substr(0, name.find(':')), checkpoints->size()));
    }
    paths.push_back(normalized_path(std::filesystem::absolute(path)));
  }
  return paths;
}

std::string ModelSource::name() const {
  std::string names;
  for (const auto& path : paths()) {
    names += (names.empty() ? "" : ",") + path.string();
  }
  return names;
}

std::string ModelSource::title() const {
  std::string titles;
  for (const auto& path : paths()) {
    const auto folder = path.parent_path();
    const bool in_run = folder.filename() == kCheckpointsFolder;
    titles += titles.empty() ? "" : ", ";
    titles += in_run ? (folder.parent_path().filename() / path.filename()).string() : path.filename().string();
  }
  return titles;
}

std::optional<std::int64_t> ModelSource::step() const {
  const auto* checkpoints = std::get_if<std::vector<Checkpoint>>(&sources_.front());
  return checkpoints != nullptr && sources_.size() == 1 ? std::optional(checkpoints->front().step()) : std::nullopt;
}

bool ModelSource::is_average() const {
  const auto* checkpoints = std::get_if<std::vector<Checkpoint>>(&sources_.front());
  return checkpoints != nullptr && checkpoints->size() > 1;
}

std::optional<FileStamps> ModelSource::stamps() const {
  FileStamps stamps;
  for (const auto& source : sources_) {
    if (const auto* checkpoints = std::get_if<std::vector<Checkpoint>>(&source)) {
      for (const auto& checkpoint : *checkpoints) {
        add_stamps(checkpoint.folder(), stamps);
      }
    } else if (const auto* foreign = std::get_if<ForeignModel>(&source)) {
      add_stamps(foreign->path, stamps);
    } else {
      return std::nullopt;
    }
  }
  return stamps;
}

LoadedModel ModelSource::load(const Source& source, const DrawWeights& draw) {
  if (const auto* files = std::get_if<ModelFiles>(&source)) {
    return files->weights.empty() ? draw(*files) : load_weights(*files);
  }
  if (const auto* foreign = std::get_if<ForeignModel>(&source)) {
    return foreign->format->open(foreign->path);
  }
  return load_model(std::get<std::vector<Checkpoint>>(source));
}

std::vector<LoadedModel> ModelSource::load_all(const DrawWeights& draw) const {
  std::vector<LoadedModel> models;
  for (const auto& source : sources_) {
    models.push_back(load(source, draw));
  }
  check_same_tokenizers(models);
  return models;
}

void name_default_model(const CheckpointOptions& options, const ModelSource& source) {
  if (options.chosen) {
    return;
  }
  const auto run = source.path().parent_path().parent_path();  // runs/en-fr for runs/en-fr/checkpoints/step-00002000
  log_info(fmt::format("model: {}, step {} (the run written last; --checkpoint or --run-dir choose another)",
                       run.string(), source.step().value_or(0)));
}

std::shared_ptr<const SeenWords> source_words_of(std::span<const LoadedModel> models) {
  return models.size() == 1 ? models.front().source_words : nullptr;
}

TranslatorOptions options_for_models(std::span<const LoadedModel> models) {
  auto options = translator_options(models.front().config);
  if (models.size() == 1) {
    options.confidence = models.front().confidence;
  }
  for (const auto& model : models.subspan(1)) {
    const auto other = translator_options(model.config);
    options.max_source_length = std::min(options.max_source_length, other.max_source_length);
    if (other.max_positions > 0) {
      const bool has_end = options.max_positions > 0;
      options.max_positions = has_end ? std::min(options.max_positions, other.max_positions) : other.max_positions;
      options.decoding.max_length = std::min(options.decoding.max_length, other.max_positions);
    }
  }
  return options;
}

Translator make_translator(std::span<const LoadedModel> models, const ComputeOptions& computing,
                           const TranslatorOptions& options) {
  const auto& tokenizers = models.front().tokenizers;
  return {open_models(models, computing), tokenizers.source, tokenizers.target, options};
}

}  // namespace translate
