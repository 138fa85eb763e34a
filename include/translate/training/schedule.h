#pragma once

#include <cstdint>

#include "translate/config/options.h"

namespace translate {

/// The learning rate of `step` (counted from 1), a pure function of it, set before the update:
/// noam          factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)   (paper, equation 3)
/// inverse_sqrt  peak * min(step / warmup, sqrt(warmup / step))
/// cosine        peak * step / warmup, then half a cosine down to 0 at max_steps
/// linear        peak * step / warmup, then a straight line down to 0 at max_steps
/// constant      peak * min(step / warmup, 1)
/// A warm-up of 0 steps counts as 1. Cosine and linear need max_steps (checked with the configuration).
[[nodiscard]] double learning_rate_at(const TrainingOptions& options, std::int64_t d_model, std::int64_t step);

}  // namespace translate
