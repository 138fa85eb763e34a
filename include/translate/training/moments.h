#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace translate {

/// `values`, one for each of `parameters`, under their names.
[[nodiscard]] std::vector<std::pair<std::string, at::Tensor>> named_moments(
    const std::vector<std::pair<std::string, at::Tensor>>& parameters, const std::vector<at::Tensor>& values);

/// Copies `saved` into `moments`, one for each of `parameters`, matched by name. Throws CheckpointError where one is
/// missing or of another shape.
void restore_moments(const std::vector<std::pair<std::string, at::Tensor>>& parameters,
                     std::vector<at::Tensor>& moments, const std::vector<std::pair<std::string, at::Tensor>>& saved);

}  // namespace translate
