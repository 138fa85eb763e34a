#include "training/reporter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/logging.h"
#include "core/terminal.h"
#include "training/gradient_pass.h"
#include "training/optimizer/schedule.h"

namespace translate::trainer {

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

ProgressField speed_field(double tokens_per_second) {
  return {fmt::format("{:.0f} tokens/s", tokens_per_second), fmt::format("{} tok/s", brief_count(tokens_per_second))};
}

ProgressField time_field(double seconds) {
  return {format_duration(seconds) + " left", format_clock(seconds) + " left", format_clock(seconds)};
}

ProgressField best_field(BestMetric metric, double score) {
  if (metric == BestMetric::kLoss) {
    return {fmt::format("best validation loss {:.3f}", score), fmt::format("best {:.3f}", score)};
  }
  const char* name = metric == BestMetric::kChrf ? "chrF" : "BLEU";
  return {fmt::format("best {} {:.2f}", name, score), fmt::format("best {:.2f}", score),
          fmt::format("best {:.1f}", score)};
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
    line.fields.push_back(speed_field(pace.tokens_per_second));
  }
  if (const auto left = seconds_left(pace.options, pace.state, pace.seconds_per_step, pace.steps_per_epoch)) {
    line.fields.push_back(time_field(*left));
  }
  if (const auto& best = pace.state.best_validation) {
    line.fields.push_back(best_field(pace.options.best_metric, best->score));
  }
  return line;
}

namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(200);

}  // namespace

Reporter::Reporter(const TrainingOptions& options, RunDirectory& run, std::shared_ptr<const ComputeDevice> device)
    : options_(options), record_(run, std::move(device)) {}

void Reporter::start(const TrainingState& state) {
  if (options_.tensorboard) {
    record_.start_events(state.step == 0 ? 0 : state.step + 1);  // that of step 0 is validated before the first update
  }
}

void Reporter::report_training(TrainingState& state, double learning_rate) {
  const auto& window = state.window;
  const auto tokens = static_cast<double>(std::max<std::int64_t>(window.target_tokens, 1));
  loss_ = window.loss_sum / tokens;
  tokens_per_second_ = window.seconds > 0.0 ? tokens / window.seconds : 0.0;
  if (reported_step_ >= 0 && state.step > reported_step_) {
    seconds_per_step_ = window.seconds / static_cast<double>(state.step - reported_step_);
  }
  reported_step_ = state.step;
  TrainingReport report{.loss = *loss_,
                        .smoothed_loss = window.smoothed_loss_sum / tokens,
                        .learning_rate = learning_rate,
                        .tokens_per_second = tokens_per_second_,
                        .seconds_left = seconds_left(options_, state, seconds_per_step_, steps_per_epoch_)};
  ProgressField divergence = {""};
  if (loss_settings(options_).has_two_passes()) {
    report.divergence = window.divergence_sum / tokens;
    divergence = {fmt::format("kl {:.4f}", *report.divergence)};
  }
  ProgressField guided = {""};
  if (options_.guided_alignment != GuidedAlignment::kOff) {
    report.guided_loss = window.guided_sum / tokens;
    guided = {fmt::format("alignment {:.4f}", *report.guided_loss)};
  }
  record_.add(state, report);
  ProgressField time;
  if (report.seconds_left) {
    time = time_field(*report.seconds_left);
  }
  time.emplace_back();  // the line of progress shows it, too
  log_fields({.fields = {{fmt::format("step {}", state.step)},
                         {fmt::format("epoch {}", state.epoch), fmt::format("ep {}", state.epoch)},
                         {fmt::format("loss {:.4f}", *loss_)},
                         {fmt::format("ppl {:.2f}", std::exp(*loss_))},
                         divergence,
                         guided,
                         {fmt::format("lr {:.3e}", learning_rate), fmt::format("lr {:.1e}", learning_rate)},
                         speed_field(tokens_per_second_),
                         time}});
  if (const auto mean = watch_.add(*loss_)) {
    log_warning(fmt::format("step {}: the loss jumped from {:.4f}, the mean of the latest reports, to {:.4f}",
                            state.step, *mean, *loss_));
  }
  state.window = {};
}

void Reporter::report_early(const TrainingState& state, double loss_sum) {
  const auto tokens = static_cast<double>(std::max<std::int64_t>(state.window.target_tokens, 1));
  loss_ = loss_sum / tokens;
  const auto next = (state.step / options_.log_every + 1) * options_.log_every;
  log_info(fmt::format("step {}  epoch {}  loss {:.4f} so far; the first report comes at step {} (training.log_every)",
                       state.step, state.epoch, *loss_, next));
}

void Reporter::report_validation(const TrainingState& state, const ValidationResult& result, bool is_best) {
  record_.add(state, result, is_best);
  const bool by_chrf = options_.best_metric == BestMetric::kChrf;
  std::vector<std::string> directions;
  for (const auto& [name, bleu, chrf] : result.directions) {
    directions.push_back(fmt::format("{} {:.2f}", name, by_chrf ? chrf : bleu));
  }
  log_fields(
      {.fields = {{fmt::format("validation at step {} (epoch {}): loss {:.4f}", state.step, state.epoch, result.loss),
                   fmt::format("validation at step {}: loss {:.4f}", state.step, result.loss)},
                  {fmt::format("ppl {:.2f}", std::exp(result.loss))},
                  {fmt::format("BLEU {:.2f}{}{}", result.bleu, by_chrf ? fmt::format("  chrF {:.2f}", result.chrf) : "",
                               directions.empty() ? "" : fmt::format(" ({})", fmt::join(directions, ", ")))},
                  {fmt::format("({})", format_duration(result.seconds)), ""},
                  {is_best ? "best so far" : "", is_best ? "best" : ""}}});
  for (const auto& [source, reference, translation] : result.shown) {
    log_info("  source:      " + source);
    log_info("  reference:   " + reference);
    log_info("  translation: " + translation);
  }
}

void Reporter::show_progress_line(const TrainingState& state) {
  const auto now = std::chrono::steady_clock::now();
  if (!progress_is_visible() || now - drawn_ < kRedrawInterval) {
    return;
  }
  drawn_ = now;
  show_progress(training_progress({.state = state,
                                   .options = options_,
                                   .steps_per_epoch = steps_per_epoch_,
                                   .seconds_per_step = seconds_per_step_,
                                   .loss = loss_,
                                   .tokens_per_second = tokens_per_second_}));
}

}  // namespace translate::trainer
