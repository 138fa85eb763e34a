#include "training/optimizer/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "config/validate.h"

namespace translate::trainer {

double learning_rate_at(const TrainingOptions& options, std::int64_t d_model, std::int64_t step) {
  const auto at = static_cast<double>(step);
  const auto warmup = static_cast<double>(std::max<std::int64_t>(options.warmup_steps, 1));
  const double peak = options.learning_rate;
  const double rising = std::min(at / warmup, 1.0);
  const double span = std::max(static_cast<double>(options.max_steps) - warmup, 1.0);
  const double done = std::clamp((at - warmup) / span, 0.0, 1.0);  // share of the decay, for cosine and linear
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

std::optional<RateChange> rate_change(const TrainingOptions& before, const TrainingOptions& now, std::int64_t d_model,
                                      std::int64_t step) {
  if (!falls_to_max_steps(now.schedule) || before.max_steps == now.max_steps) {
    return std::nullopt;
  }
  return RateChange{.before = learning_rate_at(before, d_model, step), .now = learning_rate_at(now, d_model, step)};
}

std::optional<std::string> limit_reached(const TrainingOptions& options, const TrainingState& state, double seconds) {
  if (options.max_steps > 0 && state.step >= options.max_steps) {
    return fmt::format("max_steps = {}", options.max_steps);
  }
  if (options.max_epochs > 0 && state.epoch >= options.max_epochs) {
    return fmt::format("max_epochs = {}", options.max_epochs);
  }
  if (options.max_minutes > 0.0 && seconds >= 60.0 * options.max_minutes) {
    return fmt::format("max_minutes = {:g}", options.max_minutes);
  }
  if (!options.stages.empty() && state.stage.index >= std::ssize(options.stages)) {
    return fmt::format("the last of {} stages is over", options.stages.size());
  }
  if (options.patience > 0 && state.validations_since_best >= options.patience) {
    return fmt::format("patience = {} validations without a better one", options.patience);
  }
  return std::nullopt;
}

double steps_per_epoch(std::size_t batches, const TrainingOptions& options) {
  return std::ceil(static_cast<double>(batches) / static_cast<double>(options.accumulation_steps));
}

std::optional<double> seconds_left(const TrainingOptions& options, const TrainingState& state, double seconds_per_step,
                                   double steps_per_epoch) {
  const bool counts_steps = options.max_steps > 0 || options.max_epochs > 0;
  if (counts_steps && seconds_per_step <= 0.0) {
    return std::nullopt;  // the time limit alone can be hours behind the step at which the training ends
  }
  std::optional<double> left;
  const auto consider = [&left](double seconds) { left = std::max(0.0, std::min(left.value_or(seconds), seconds)); };
  if (options.max_minutes > 0.0) {
    consider(60.0 * options.max_minutes - state.seconds);
  }
  if (options.max_steps > 0) {
    consider(static_cast<double>(options.max_steps - state.step) * seconds_per_step);
  }
  if (options.max_epochs > 0) {
    const double steps = static_cast<double>(options.max_epochs - state.epoch) * steps_per_epoch -
                         static_cast<double>(state.batches_in_epoch) / static_cast<double>(options.accumulation_steps);
    consider(steps * seconds_per_step);
  }
  return left;
}

std::optional<double> share_done(const TrainingOptions& options, const TrainingState& state, double steps_per_epoch) {
  std::optional<double> done;
  const auto consider = [&done](double share) { done = std::min(1.0, std::max(done.value_or(share), share)); };
  if (options.max_steps > 0) {
    consider(static_cast<double>(state.step) / static_cast<double>(options.max_steps));
  }
  if (options.max_epochs > 0) {
    const double batches = steps_per_epoch * static_cast<double>(options.accumulation_steps);
    const double of_epoch = batches > 0.0 ? static_cast<double>(state.batches_in_epoch) / batches : 0.0;
    consider((static_cast<double>(state.epoch) + of_epoch) / static_cast<double>(options.max_epochs));
  }
  if (options.max_minutes > 0.0) {
    consider(state.seconds / (60.0 * options.max_minutes));
  }
  return done;
}

bool is_due(const Interval& interval, std::int64_t step, bool epoch_ended) {
  return interval.every_epoch() ? epoch_ended : step % interval.steps == 0;
}

}  // namespace translate::trainer
