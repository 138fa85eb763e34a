#pragma once

#include <span>
#include <vector>

#include "translate/config/options.h"
#include "translate/inference/linear_weights.h"

namespace translate {

/// How long a format took for a product.
struct FormatTime {
  WeightFormat format;
  double seconds;
};

/// The times of each format that this machine has for a matrix of such a model, found by trying them in turn for some
/// milliseconds, the most exact one first. Only where has_vector_kernels() holds.
[[nodiscard]] std::vector<FormatTime> time_formats(const ModelOptions& options);

/// The fastest of `times`, at least one, the most exact first: one that is less exact than another must gain a tenth,
/// and bytes on both sides half as much again.
[[nodiscard]] WeightFormat worthwhile_format(std::span<const FormatTime> times);

/// The format in which this machine multiplies the matrices of such a model fastest, as worthwhile_format has it.
[[nodiscard]] WeightFormat fastest_format(const ModelOptions& options);

}  // namespace translate
