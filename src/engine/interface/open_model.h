#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "checkpoint/loaded_model.h"
#include "decoding/translator.h"
#include "inference/decoding_session.h"
#include "interface/model_options.h"
#include "translate/translate_c.h"

namespace translate {

/// What translators of one model share.
struct OpenModel {
  std::vector<LoadedModel> files;  ///< without weights; several: an ensemble
  std::shared_ptr<const InferenceModel> weights;
};

}  // namespace translate

/// A model with the options of one caller.
struct translate_model {
  std::shared_ptr<const translate::OpenModel> shared;
  translate::TranslatorOptions options;
  std::mutex mutex;  ///< a Translator does one thing at a time
  translate::Translator translator;
};

namespace translate {

/// Opens a model (see translate_open). Throws the errors of ModelSource, open_models and choose_target; ConfigError for
/// values that do not go together.
[[nodiscard]] std::unique_ptr<translate_model> open_model(const char* checkpoint, const translate_options& options);

/// Returns the same model with other options (see translate_with_options). Throws ConfigError for values that do not go
/// together, and for options of opening.
[[nodiscard]] std::unique_ptr<translate_model> with_options(const translate_model& model,
                                                            const translate_options& options);

}  // namespace translate
