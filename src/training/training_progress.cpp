#include "translate/training/training_progress.h"

#include <fmt/format.h>

#include <cmath>

#include "translate/core/duration.h"
#include "translate/training/limits.h"

namespace translate {
namespace {

ProgressField step_field(const TrainingPace& pace, const std::optional<double>& share) {
  const auto step = pace.state.step;
  if (!share || *share <= 0.0 || step == 0) {
    return {fmt::format("step {}", step), brief_count(static_cast<double>(step))};
  }
  const double estimate = static_cast<double>(step) / *share;
  const bool by_steps = std::abs(estimate - static_cast<double>(pace.options.max_steps)) < 0.5;
  const char* mark = by_steps ? "" : "~";
  return {fmt::format("step {}/{}{:.0f}", step, mark, estimate), fmt::format("{}/{}{:.0f}", step, mark, estimate),
          fmt::format("{}/{}{}", brief_count(static_cast<double>(step)), mark, brief_count(estimate))};
}

}  // namespace

ProgressLine training_progress(const TrainingPace& pace) {
  ProgressLine line;
  line.share = share_done(pace.options, pace.state, pace.steps_per_epoch);
  line.fields.push_back(step_field(pace, line.share));
  line.fields.push_back({fmt::format("epoch {}", pace.state.epoch), fmt::format("ep {}", pace.state.epoch)});
  if (pace.loss) {
    line.fields.push_back({fmt::format("loss {:.3f}", *pace.loss)});
  }
  if (pace.tokens_per_second > 0.0) {
    line.fields.push_back({fmt::format("{:.0f} tokens/s", pace.tokens_per_second),
                           fmt::format("{} tok/s", brief_count(pace.tokens_per_second))});
  }
  if (const auto left = seconds_left(pace.options, pace.state, pace.seconds_per_step, pace.steps_per_epoch)) {
    line.fields.push_back({format_duration(*left) + " left", format_clock(*left) + " left", format_clock(*left)});
  }
  return line;
}

}  // namespace translate
