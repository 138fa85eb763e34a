#include "translate/apps/viewing_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "translate/core/error.h"

namespace translate {

void check_layer(const ViewingOptions& options, const ModelOptions& model) {
  if (options.layer && *options.layer >= std::max(model.encoder_layers, model.decoder_layers)) {
    throw ConfigError(fmt::format("--layer {}: the model has {} encoder and {} decoder layers, counted from 0",
                                  *options.layer, model.encoder_layers, model.decoder_layers));
  }
}

}  // namespace translate
