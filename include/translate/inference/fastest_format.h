#pragma once

#include "translate/config/options.h"
#include "translate/inference/linear_weights.h"

namespace translate {

/// The format in which this machine multiplies the matrices of such a model fastest, found by trying each that it has
/// for some milliseconds; single precision where another gains less than a tenth, as it costs a little exactness. Only
/// where has_vector_kernels() holds.
[[nodiscard]] WeightFormat fastest_format(const ModelOptions& options);

}  // namespace translate
