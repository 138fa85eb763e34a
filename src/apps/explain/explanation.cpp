#include "apps/explain/explanation.h"

#include <algorithm>

namespace translate {

Walk walk_through(const ObservedModel& model, const TranslatedPart& part, const ViewingOptions& options) {
  Walk walk{.pass = observe_pass(model, part), .steps = {}, .cross_layer = 0};
  const auto last = model.config.model.decoder_layers - 1;
  walk.cross_layer = std::min(options.layer.value_or(last), last);
  walk.steps = walk_steps(model, walk.pass, walk.cross_layer);
  return walk;
}

}  // namespace translate
