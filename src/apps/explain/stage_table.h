#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "decoding/operators/observed_pass.h"

namespace translate {

/// The stages of a pass as lines of 80 columns under the names of their modules: what each is, its shape and its first
/// values. Of the layers of a stack `layer` is shown, or the first where the stack has no such one; the others, which
/// have the same stages and shapes, are named in one line.
[[nodiscard]] std::string stage_table(const std::vector<Stage>& stages, std::int64_t layer,
                                      const ModelOptions& options);

}  // namespace translate
