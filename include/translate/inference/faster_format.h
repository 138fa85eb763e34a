#pragma once

#include "translate/config/options.h"
#include "translate/inference/linear_weights.h"

namespace translate {

/// The format in which this machine multiplies the matrices of such a model faster, found by trying both for some
/// milliseconds; single precision where 8 bits gain less than a tenth, as they cost a little exactness. Only where
/// has_vector_kernels() holds.
[[nodiscard]] WeightFormat faster_format(const ModelOptions& options);

}  // namespace translate
