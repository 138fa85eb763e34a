#pragma once

#include <string>
#include <vector>

#include "model/parameters.h"

namespace translate {

/// Returns the names under which checkpoints have the parameters, each once, in the order in which a forward pass first
/// uses them. A backward pass completes their gradients in the reverse order: that of a tied table comes last, with its
/// first use as the table of source subwords.
[[nodiscard]] std::vector<std::string> forward_order(const ModelParameters& model);

}  // namespace translate
