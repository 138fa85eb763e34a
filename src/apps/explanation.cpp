#include "translate/apps/explanation.h"

#include <fmt/format.h>

#include <algorithm>

#include "translate/core/error.h"

namespace translate {

void check_layer(const ExplanationOptions& options, const ModelOptions& model) {
  if (options.layer && *options.layer >= std::max(model.encoder_layers, model.decoder_layers)) {
    throw ConfigError(fmt::format("--layer {}: the model has {} encoder and {} decoder layers, counted from 0",
                                  *options.layer, model.encoder_layers, model.decoder_layers));
  }
}

Walk walk_through(const LoadedModel& loaded, const TranslatedPart& part, const ExplanationOptions& options,
                  const PassOptions& where) {
  Walk walk{.pass = observe_pass(loaded.model(), loaded.tokenizers, part, where), .steps = {}, .cross_layer = 0};
  const auto last = loaded.config.model.decoder_layers - 1;
  walk.cross_layer = std::min(options.layer.value_or(last), last);
  walk.steps = walk_steps(loaded.model(), loaded.tokenizers, walk.pass, walk.cross_layer, where);
  return walk;
}

}  // namespace translate
