#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/options.h"
#include "operators/observed_pass.h"

namespace translate::tools {

/// Returns the stages of a pass as lines of 80 columns under the names of their modules: the meaning, the shape and the
/// first values of each. Of each stack it shows the layer `layer`, or the first layer if the stack has fewer; one line
/// names the others, which have the same stages and shapes.
[[nodiscard]] std::string stage_table(const std::vector<trainer::Stage>& stages, std::int64_t layer,
                                      const ModelOptions& options);

/// Returns the same for the stages of encoding, under a heading with the sizes of the encoder.
[[nodiscard]] std::string encoder_table(const std::vector<trainer::Stage>& stages, std::int64_t layer,
                                        const ModelOptions& options);

/// Returns a stage as a JSON object: `name`, `shape` and `values`, the first six, or with `whole` all of them, nested
/// by the shape.
[[nodiscard]] nlohmann::ordered_json stage_json(const trainer::Stage& stage, bool whole);

}  // namespace translate::tools
