#include "checkpoint/weights_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/counted.h"
#include "core/error.h"

namespace translate {

void check_layer_count(const ModelOptions& options, std::size_t tensors, const std::string& origin) {
  const auto layers = static_cast<std::uint64_t>(std::max(options.encoder_layers, options.decoder_layers));
  if (layers > tensors) {
    throw CheckpointError(fmt::format("{}: {} cannot be {} layers, as many as its configuration says", origin,
                                      counted(tensors, "tensor"), layers));
  }
}

void check_weights(const ModelOptions& options, const VocabularySizes& sizes, const NamedArrays& weights,
                   const std::string& origin) {
  check_layer_count(options, weights.size(), origin);
  ParameterShapes shapes;
  for (const auto& [name, array] : weights) {
    shapes.emplace_back(name, array.shape);
  }
  check_shapes(parameter_shapes(options, sizes), shapes, origin);
}

void check_finite(std::span<const float> values, const std::string& name, const std::string& origin) {
  const auto found = std::ranges::find_if_not(values, [](float value) { return std::isfinite(value); });
  if (found != values.end()) {
    throw CheckpointError(
        fmt::format("{}: {} has the number {} at place {}, expected finite numbers: the file is "
                    "damaged, or the training of the model has failed",
                    origin, name, *found, found - values.begin()));
  }
}

}  // namespace translate
