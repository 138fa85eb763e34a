#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line/decoding_arguments.h"
#include "command_line/program.h"
#include "decoding/model_source.h"
#include "serve/models/model_naming.h"
#include "serve/models/model_reloader.h"
#include "serve/models/served_model.h"

namespace translate::tools {

/// The options of translate-serve that concern its models.
struct ModelArguments {
  CheckpointOptions checkpoint;
  LanguageCodes languages;           ///< of the model of --checkpoint
  std::vector<std::string> further;  ///< the values of --model
  bool no_pivot = false;
  bool learn = false;  ///< offer GET /learn
  std::optional<int> alternatives;
  DecodingArguments decoding;
};

/// Adds --checkpoint, --model and the other options.
void add_model_options(CLI::App& app, ModelArguments& arguments);

/// A model as the options name it.
struct ModelChoice {
  CheckpointOptions options;
  LanguageCodes languages;
};

/// Returns the models of --checkpoint and --model; --checkpoint alone has a default, which counts if there is no
/// --model. Throws ConfigError if an option belongs to none of them.
[[nodiscard]] std::vector<ModelChoice> model_choices(const ModelArguments& arguments);

/// Returns the page of GET /learn for a model, whose name is `title`, in which a browser translates as `translating`
/// says. Empty: the program is built without it.
using PageMaker = std::function<std::string(std::span<const LoadedModel> models, const std::string& title,
                                            const TranslatorOptions& translating)>;

/// Loads models for a server, with the same options every time.
class ModelLoader {
 public:
  /// Throws ConfigError if --learn is given and there is no `make_page`.
  ModelLoader(const ModelArguments& arguments, const ComputeOptions& computing, const QueueOptions& queue,
              PageMaker make_page);

  /// The number of models.
  [[nodiscard]] std::size_t count() const { return choices_.size(); }

  /// Opens model `index` without reading weights.
  [[nodiscard]] ModelSource open(std::size_t index) const;
  /// Loads a model that open() returned for `index`. Throws the errors of ModelSource, of apply_decoding_options
  /// and, with --learn, of the page's maker; and ConfigError if the model does not have the languages that the options
  /// give it.
  [[nodiscard]] LoadedServedModel load(std::size_t index, const ModelSource& source) const;

 private:
  [[nodiscard]] ModelTranslators make_translators(const std::vector<LoadedModel>& models, ModelFacts& facts) const;

  std::vector<ModelChoice> choices_;
  std::optional<int> alternatives_;
  PageMaker make_page_;  ///< empty: no page is offered
  DecodingArguments decoding_;
  ComputeOptions computing_;
  QueueOptions queue_;
};

}  // namespace translate::tools
