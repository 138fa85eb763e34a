#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>
#include <vector>

#include "translate/checkpoint/tensor_file.h"

namespace translate {

/// `values`, one for each of `parameters`, under their names; they share memory.
[[nodiscard]] NamedTensors named_values(const NamedTensors& parameters, const std::vector<at::Tensor>& values);

/// Copies `saved` into `values`, one for each of `parameters`, matched by name. Throws CheckpointError, which says
/// `lack` ("the saved ... has no ...") of the first that is missing or of another shape.
void restore_values(const NamedTensors& parameters, const std::vector<at::Tensor>& values, const NamedTensors& saved,
                    std::string_view lack);

}  // namespace translate
