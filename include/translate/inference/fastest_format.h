#pragma once

#include "translate/config/options.h"
#include "translate/inference/linear_weights.h"

namespace translate {

/// The format in which this machine multiplies the matrices of such a model fastest, found by trying each that it has
/// for some milliseconds. One that is less exact than another must gain a tenth, and bytes on both sides half as much
/// again. Only where has_vector_kernels() holds.
[[nodiscard]] WeightFormat fastest_format(const ModelOptions& options);

}  // namespace translate
