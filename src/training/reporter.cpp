#include "translate/training/reporter.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "translate/core/duration.h"
#include "translate/core/logging.h"
#include "translate/training/limits.h"
#include "translate/training/training_progress.h"

namespace translate {
namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(200);

/// JSON has no infinities: a figure out of range is null there.
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
  std::string divergence;
  if (options_.r_drop > 0.0) {
    json["kl"] = number(window.divergence_sum / tokens);
    divergence = fmt::format("  kl {:.4f}", window.divergence_sum / tokens);
  }
  json["lr"] = learning_rate;
  json["tokens_per_second"] = number(tokens_per_second_);
  json["target_tokens"] = state.target_tokens;
  json["seconds"] = state.seconds;
  run_.append_metrics(json.dump());
  const auto line = fmt::format("step {}  epoch {}  loss {:.4f}  ppl {:.2f}{}  lr {:.3e}  {:.0f} tokens/s", state.step,
                                state.epoch, *loss_, std::exp(*loss_), divergence, learning_rate, tokens_per_second_);
  const auto left = seconds_left(options_, state, seconds_per_step_, steps_per_epoch_);
  log_info(left ? fmt::format("{}  {} left", line, format_duration(*left)) : line);
  state.window = {};
}

void Reporter::report_validation(const TrainingState& state, const ValidationResult& result, bool is_best) {
  auto json = common_fields("validation", state);
  json["loss"] = number(result.loss);
  json["ppl"] = number(std::exp(result.loss));
  json["bleu"] = number(result.bleu);
  json["target_tokens"] = state.target_tokens;
  json["seconds"] = state.seconds;
  json["validation_seconds"] = result.seconds;
  run_.append_metrics(json.dump());
  log_info(fmt::format("validation at step {} (epoch {}): loss {:.4f}  ppl {:.2f}  BLEU {:.2f}  ({}){}", state.step,
                       state.epoch, result.loss, std::exp(result.loss), result.bleu, format_duration(result.seconds),
                       is_best ? "  best so far" : ""));
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

}  // namespace translate
