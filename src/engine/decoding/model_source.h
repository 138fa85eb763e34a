#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/foreign_formats.h"
#include "decoding/model_loading.h"
#include "decoding/model_opening.h"
#include "decoding/translator.h"

namespace translate {

/// Splits a comma-separated list of names, as in `--checkpoint A,B`. A name may itself contain commas if it `exists` as
/// a whole: from the left, the function takes the longest name that exists, or else the one up to the next comma.
[[nodiscard]] std::vector<std::string> split_names(const std::string& list,
                                                   const std::function<bool(const std::string&)>& exists);

/// The options that choose a model.
struct CheckpointOptions {
  /// latest, best, average, average:N, average-best:N, step-N, epoch-N, the path of a checkpoint, a MarianMT or Marian
  /// model, or a file of weights; several, separated by commas, make an ensemble
  std::string checkpoint = "latest";
  std::string run_dir;          ///< the run that names refer to (empty: the most recently written one under runs/)
  std::string config;           ///< with a file of weights: the configuration (empty: the defaults)
  std::string tokenizers;       ///< with a file of weights: those of source and target, or one for both
  bool chosen = false;          ///< the command line has --checkpoint or --run-dir
  bool random_weights = false;  ///< a model of random weights, of the configuration that `config` names
};

/// Makes a model of random weights, as a training of `files.config` with its seed starts from.
using DrawWeights = std::function<LoadedModel(const ModelFiles& files)>;

/// A model on disk: a checkpoint, the mean of several, the folder of another system's model, or weights from elsewhere
/// (safetensors or PyTorch) with their configuration and tokenizers; or an ensemble of such models.
class ModelSource {
 public:
  /// Opens the models that the options name, without reading weights. Throws the errors of open_checkpoints,
  /// read_model_config and Tokenizer::load, and ConfigError if options contradict each other.
  ModelSource(const CheckpointOptions& options, Verify verify);

  /// The configuration of the first model; of a Marian model only load_all() reads it.
  [[nodiscard]] Config config() const;
  /// The tokenizers of the first model. Reads no weights, except those of another system's model. Throws as load_all().
  [[nodiscard]] TokenizerPair tokenizers() const;
  /// The checkpoint of the first model (for an average, the newest); nothing if the model is from elsewhere.
  [[nodiscard]] std::optional<Checkpoint> checkpoint() const;
  /// The folder of the first model (for an average, that of the newest checkpoint) or its file of weights.
  [[nodiscard]] std::filesystem::path path() const;
  /// The name for readers on this machine: the absolute path, with `average:N` or `average-best:N` in place of the
  /// folder's name; for several models, separated by commas.
  [[nodiscard]] std::string name() const;
  /// The name for readers elsewhere, without the folders of this machine: the run and the checkpoint
  /// ("en-fr/step-00001200"), or the name of the file of weights; for several models, separated by commas.
  [[nodiscard]] std::string title() const;
  /// The absolute path of each model, with `average:N` in place of a folder's name as in name().
  [[nodiscard]] std::vector<std::filesystem::path> paths() const;
  /// The number of updates that produced the weights (for an average, those of the newest checkpoint); nothing for an
  /// ensemble or a model from elsewhere.
  [[nodiscard]] std::optional<std::int64_t> step() const;
  /// Whether the weights of the first model are the mean of several checkpoints.
  [[nodiscard]] bool is_average() const;
  /// The number of models in the ensemble; 1 for a single model.
  [[nodiscard]] std::size_t models() const { return sources_.size(); }
  /// The states of all files of the models: while these stay the same, so do the models. Nothing if a model is a file
  /// of weights, whose configuration and tokenizers lie elsewhere.
  [[nodiscard]] std::optional<FileStamps> stamps() const;
  /// Loads all models and logs what was adapted; `draw` makes a model of random weights, if the options ask for one.
  /// Throws CheckpointError if weights do not fit, ConfigError if the tokenizers differ.
  [[nodiscard]] std::vector<LoadedModel> load_all(const DrawWeights& draw = {}) const;

 private:
  /// Another system's model.
  struct ForeignModel {
    std::filesystem::path path;
    const ModelFormat* format = nullptr;  ///< one of linked_formats()
  };
  /// The mean of checkpoints, files, or another system's model.
  using Source = std::variant<std::vector<Checkpoint>, ModelFiles, ForeignModel>;

  [[nodiscard]] static std::filesystem::path path_of(const Source& source);
  [[nodiscard]] static LoadedModel load(const Source& source, const DrawWeights& draw);
  [[nodiscard]] static Source open(const std::string& name, const CheckpointOptions& options, Verify verify);

  std::vector<Source> sources_;
  std::vector<std::string> names_;  ///< their names in the options
};

/// Logs the run folder and the step of the model if the command line did not choose one, because the most recently
/// written run changes with every training.
void name_default_model(const CheckpointOptions& options, const ModelSource& source);

/// Returns the words of the text that a model was trained on; null if they are unknown, and for an ensemble.
[[nodiscard]] std::shared_ptr<const SeenWords> source_words_of(std::span<const LoadedModel> models);

/// Returns the options for translating with an ensemble: the search of the first model's configuration, and the
/// narrowest limits of all models. An ensemble has no confidence, because it was not validated. Unseen words are not
/// looked for (see source_words_of).
[[nodiscard]] TranslatorOptions options_for_models(std::span<const LoadedModel> models);

/// Opens the models (see open_models) and returns a translator over them, with the tokenizers of the first one.
[[nodiscard]] Translator make_translator(std::span<const LoadedModel> models, const ComputeOptions& computing,
                                         const TranslatorOptions& options);

}  // namespace translate
