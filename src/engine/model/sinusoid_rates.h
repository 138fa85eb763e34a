#pragma once

#include <vector>

#include "model/position_table.h"

namespace translate {

/// Returns the rates of the angles of sinusoidal positions, one for each pair of columns: for i = 0 ... width/2 - 1,
/// 10000^(-2i/width) as in the paper, or 10000^(-i/(width/2 - 1)) with SinusoidFrequencies::kTensor2Tensor. They are
/// rounded to single precision, as the reference has them.
[[nodiscard]] std::vector<float> sinusoid_rates(const Sinusoids& sinusoids);

}  // namespace translate
