#include "training/reporter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/logging.h"
#include "core/terminal.h"
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
  return line;
}

namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(200);

/// JSON has no infinities: a number that is not finite becomes null.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json common_fields(const char* kind, const TrainingState& state) {
  return {{"kind", kind}, {"step", state.step}, {"epoch", state.epoch}};
}

}  // namespace

Reporter::Reporter(const TrainingOptions& options, RunDirectory& run) : options_(options), run_(run) {}

void Reporter::report_training(TrainingState& state, double learning_rate) {
  const auto& window = state.window;
  const auto tokens = static_cast<double>(std::max<std::int64_t>(window.target_tokens, 1));
  loss_ = window.loss_sum / tokens;
  tokens_per_second_ = window.seconds > 0.0 ? tokens / window.seconds : 0.0;
  if (reported_step_ >= 0 && state.step > reported_step_) {
    seconds_per_step_ = window.seconds / static_cast<double>(state.step - reported_step_);
  }
  reported_step_ = state.step;
  auto json = common_fields("train", state);
  json["loss"] = number(*loss_);
  json["ppl"] = number(std::exp(*loss_));
  json["smoothed_loss"] = number(window.smoothed_loss_sum / tokens);
  ProgressField divergence = {""};
  if (options_.r_drop > 0.0) {
    json["kl"] = number(window.divergence_sum / tokens);
    divergence = {fmt::format("kl {:.4f}", window.divergence_sum / tokens)};
  }
  ProgressField guided = {""};
  if (options_.guided_alignment != GuidedAlignment::kOff) {
    json["alignment_loss"] = number(window.guided_sum / tokens);
    guided = {fmt::format("alignment {:.4f}", window.guided_sum / tokens)};
  }
  json["lr"] = learning_rate;
  json["tokens_per_second"] = number(tokens_per_second_);
  json["target_tokens"] = state.target_tokens;
  json["seconds"] = state.seconds;
  run_.append_metrics(json.dump());
  ProgressField time;
  if (const auto left = seconds_left(options_, state, seconds_per_step_, steps_per_epoch_)) {
    time = time_field(*left);
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
  auto json = common_fields("validation", state);
  json["loss"] = number(result.loss);
  json["ppl"] = number(std::exp(result.loss));
  json["bleu"] = number(result.bleu);
  json["chrf"] = number(result.chrf);
  const bool by_chrf = options_.best_metric == BestMetric::kChrf;
  std::vector<std::string> directions;
  for (const auto& [name, bleu, chrf] : result.directions) {
    json["bleu_by_direction"][name] = number(bleu);
    json["chrf_by_direction"][name] = number(chrf);
    directions.push_back(fmt::format("{} {:.2f}", name, by_chrf ? chrf : bleu));
  }
  json["target_tokens"] = state.target_tokens;
  json["seconds"] = state.seconds;
  json["validation_seconds"] = result.seconds;
  run_.append_metrics(json.dump());
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
