#pragma once

#include <c10/core/Device.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "apps/command_line/program.h"
#include "checkpoint/checkpoint.h"
#include "decoding/model_backend.h"
#include "decoding/translator.h"

namespace translate {

/// Which model a program works with.
struct CheckpointOptions {
  /// latest, best, average, average:N, average-best:N, step-N, the path of a checkpoint, or a file of weights; several,
  /// separated by commas, are an ensemble
  std::string checkpoint = "latest";
  std::string run_dir;     ///< the run that names refer to (empty: the one under runs/ written last)
  std::string config;      ///< with a file of weights: the configuration (empty: every default)
  std::string tokenizers;  ///< with a file of weights: the source's and the target's, or one for both
  bool chosen = false;     ///< --checkpoint or --run-dir stands on the command line
};

/// Adds --checkpoint, --run-dir, --config and --tokenizers. `options` must live as long as the app.
void add_checkpoint_options(CLI::App& app, CheckpointOptions& options);

/// A model on disk: a checkpoint, the mean of several, or weights from elsewhere (safetensors or PyTorch) with what
/// goes with them; or an ensemble of such models.
class ModelSource {
 public:
  /// Opens what the options name, reading no weights yet. Throws as open_checkpoint, read_model_config and
  /// Tokenizer::load do, and ConfigError where options do not go together.
  ModelSource(const CheckpointOptions& options, Verify verify);

  /// Of the first model.
  [[nodiscard]] Config config() const;
  /// The checkpoint (of an average: the newest) of the first model; nothing where that is a file of weights.
  [[nodiscard]] std::optional<Checkpoint> checkpoint() const;
  /// The checkpoint's folder (of an average: of the newest) or the file of weights, of the first model.
  [[nodiscard]] std::filesystem::path path() const;
  /// What a reader calls it: the absolute path; `average:N` or `average-best:N` in place of the folder's name; of
  /// several, separated by commas.
  [[nodiscard]] std::string name() const;
  /// For readers elsewhere, with no folder of this machine: the run and the checkpoint ("en-fr/step-00001200"), or the
  /// name of the file of weights; of several models, separated by commas.
  [[nodiscard]] std::string title() const;
  /// Of each model, absolute; `average:N` in place of a folder's name as in name().
  [[nodiscard]] std::vector<std::filesystem::path> paths() const;
  /// Updates behind the weights (of an average: of the newest); nothing where a file of weights does not tell, and for
  /// an ensemble.
  [[nodiscard]] std::optional<std::int64_t> step() const;
  /// Models of the ensemble; 1: none.
  [[nodiscard]] std::size_t models() const { return sources_.size(); }
  /// Loads all models, logging what was adapted. Throws CheckpointError where weights do not fit, ConfigError where
  /// tokenizers are not the same.
  [[nodiscard]] std::vector<LoadedModel> load_all(const ModelBackend& backend) const;

 private:
  using Source = std::variant<std::vector<Checkpoint>, ModelFiles>;  ///< the mean of checkpoints, or files

  [[nodiscard]] static Source open(const std::string& name, const CheckpointOptions& options, Verify verify);

  std::vector<Source> sources_;
  std::vector<std::string> names_;  ///< what the options call each
};

/// Logs which model it is, by its run's folder and its step, where the command line did not choose one: the run written
/// last changes with every training.
void name_default_model(const CheckpointOptions& options, const ModelSource& source);

/// How models translate together: the search of the first one's configuration, the narrowest limits, the program's
/// --precision, as arithmetic_of reads it.
[[nodiscard]] TranslatorOptions options_for_models(std::span<const LoadedModel> models, const c10::Device& device,
                                                   const CommonOptions& options);

/// What translates with the models, an ensemble where there are several, in the arithmetic of `options`.
[[nodiscard]] std::shared_ptr<const InferenceModel> make_inference_model(const ModelBackend& backend,
                                                                         std::span<const LoadedModel> models,
                                                                         const TranslatorOptions& options);

/// A translator over models, an ensemble where there are several, with the first one's tokenizers.
[[nodiscard]] Translator make_translator(const ModelBackend& backend, std::span<const LoadedModel> models,
                                         const TranslatorOptions& options);

}  // namespace translate
