#pragma once

#include <algorithm>
#include <cstdint>

#include "translate/config/options.h"

namespace translate {

/// The decoder layer, from 0, whose cross attention tells where a step looked (NextPiece::attention): the last but one.
[[nodiscard]] inline std::int64_t aligning_layer(const ModelOptions& options) {
  return std::max<std::int64_t>(options.decoder_layers - 2, 0);
}

}  // namespace translate
