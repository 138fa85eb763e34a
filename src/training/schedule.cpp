#include "translate/training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace translate {

double learning_rate_at(const TrainingOptions& options, std::int64_t d_model, std::int64_t step) {
  const auto at = static_cast<double>(step);
  const auto warmup = static_cast<double>(std::max<std::int64_t>(options.warmup_steps, 1));
  const double peak = options.learning_rate;
  const double rising = std::min(at / warmup, 1.0);
  const double span = std::max(static_cast<double>(options.max_steps) - warmup, 1.0);
  const double done = std::clamp((at - warmup) / span, 0.0, 1.0);  // share of the way down, for cosine and linear
  switch (options.schedule) {
    case ScheduleKind::kNoam:
      return peak / std::sqrt(static_cast<double>(d_model)) *
             std::min(1.0 / std::sqrt(at), at / (warmup * std::sqrt(warmup)));
    case ScheduleKind::kInverseSqrt:
      return peak * std::min(at / warmup, std::sqrt(warmup / at));
    case ScheduleKind::kCosine:
      return peak * rising * 0.5 * (1.0 + std::cos(std::numbers::pi * done));
    case ScheduleKind::kLinear:
      return peak * rising * (1.0 - done);
    case ScheduleKind::kConstant:
      break;
  }
  return peak * rising;
}

}  // namespace translate
