#include "training/trainer.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "checkpoint/tensors/training_state.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/process.h"
#include "data/batches/data_loader.h"
#include "data/training_data.h"
#include "model/memory_need.h"
#include "tensors/device.h"
#include "training/optimizer/schedule.h"
#include "training/validator.h"

namespace translate {

Trainer::Trainer(Config config, TrainingData data, RunDirectory& run, c10::Device device)
    : config_(std::move(config)),
      data_(std::move(data)),
      run_(run),
      device_(device),
      precision_(resolve_precision(config_.training.precision, device)),
      losses_(device) {
  seed_generators(config_.training.seed);
  model_ = build_transformer(config_.model, vocabulary_sizes(data_.tokenizers));
  model_->to(device_);
  model_->train();
  optimizer_.emplace(unique_parameters(model_), config_.training.optimizer, layer_matrices(config_.model));
  if (config_.training.ema_decay > 0.0) {
    average_.emplace(unique_parameters(model_), config_.training.ema_decay);
  }
  set_word_dropout(model_, config_.training.word_dropout);
  gradient_pass_.emplace(training_loss(model_, config_.training, device_), *optimizer_, device_);
  if (data_.validation && data_.validation->size() > 0) {
    auto options = translator_options(config_, device_, precision_);
    options.warn = false;
    validator_.emplace(model_, data_, config_, options);
  }
  reporter_.emplace(config_.training, run_);
}

void Trainer::initialise(const NamedTensors& weights, const std::string& origin) {
  load_parameters(model_, weights, origin);
  if (average_) {
    average_->set_to_weights();
  }
}

void Trainer::resume(const Checkpoint& checkpoint) {
  state_ = read_training_state(checkpoint);
  forget_best_of_step_0(state_);
  // This is the average, if there is one: the weights are then in the state.
  const auto model = tensors_of(checkpoint.weights());
  load_parameters(model_, state_.weights.empty() ? model : state_.weights, checkpoint.folder().string());
  state_.weights.clear();
  if (average_) {
    average_->set(model);
  }
  optimizer_->restore(state_.exp_avg, state_.exp_avg_sq, state_.step);
  score_ = checkpoint.manifest().score;
  saved_step_ = state_.step;
  checkpoint_ = checkpoint.folder();
  validated_step_ = score_ ? state_.step : -1;
}

TrainingOutcome Trainer::run() {
  TrainingOutcome outcome;
  clock_ = std::chrono::steady_clock::now();
  folder_checked_ = clock_;
  stop_reason_ = limit_reached(config_.training, state_);
  outcome.trained = !stop_reason_;
  if (!stop_reason_ && state_.step == 0) {
    validate();
  }
  while (!stop_reason_ && !should_stop()) {
    run_epoch();
  }
  if (outcome.trained) {
    finish();
  }
  outcome.reason = *stop_reason_;
  outcome.signal = stop_signal();
  if (const auto latest = run_.checkpoints().latest(Verify::kSizes)) {
    outcome.checkpoint = latest->folder();
  }
  return outcome;
}

/// Returns the next batch on the device. The copy to a GPU is only enqueued here, while earlier steps may still run.
std::optional<Batch> Trainer::next_batch(EpochLoader& loader) const {
  const auto batch = loader.next();
  return batch ? std::make_optional(batch->to(device_)) : std::nullopt;
}

void Trainer::run_epoch() {
  EpochLoader loader(data_.train, data_.tokenizers, training_loader_options(config_, device_),
                     static_cast<std::uint64_t>(state_.epoch), static_cast<std::size_t>(state_.batches_in_epoch));
  reporter_->set_steps_per_epoch(steps_per_epoch(loader.batches(), config_.training));
  if (!padding_told_) {
    padding_told_ = true;
    log_info(fmt::format("an epoch has {} batches; padding is {:.2f} % of source and target positions",
                         loader.batches(), 100.0 * loader.padding()));
  }
  std::vector<Batch> batches;
  step_start_ = std::chrono::steady_clock::now();
  auto next = next_batch(loader);
  while (next) {
    batches.push_back(std::move(*next));
    next = next_batch(loader);
    const bool epoch_ended = !next;
    if (!epoch_ended && std::ssize(batches) < config_.training.accumulation_steps) {
      continue;
    }
    train_step(batches);
    state_.batches_in_epoch += std::ssize(batches);
    batches.clear();
    if (epoch_ended) {
      ++state_.epoch;
      state_.batches_in_epoch = 0;
    }
    after_step(epoch_ended);
    if (should_stop()) {
      return;
    }
    step_start_ = std::chrono::steady_clock::now();
  }
}

void Trainer::train_step(std::span<const Batch> batches) {
  std::int64_t target_tokens = 0;
  for (const auto& batch : batches) {
    target_tokens += batch.target_tokens();
  }
  // 1. Forward and backward.
  const auto sums = gradient_pass_->run(batches);
  // 2. Clip and update, at the rate of this step. If the loss or a gradient is not finite, nothing changes.
  ++state_.step;
  trail_.add(state_.step, batches);
  optimizer_->step(learning_rate_at(config_.training, config_.model.d_model, state_.step),
                   config_.training.clip_grad_norm, sums.plain);
  optimizer_->clear_gradients();
  if (device_.is_cpu()) {  // on the CPU reading the result costs nothing; for a GPU, flush_losses reads it
    check_updates();
  }
  if (average_) {
    average_->update(state_.step);
  }
  // 3. Count.
  losses_.add(sums);
  state_.target_tokens += target_tokens;
  state_.window.target_tokens += target_tokens;
  score_.reset();
  advance_clock();
  state_.window.seconds += std::chrono::duration<double>(clock_ - step_start_).count();
}

void Trainer::after_step(bool epoch_ended) {
  constexpr auto kFolderCheckInterval = std::chrono::seconds(1);
  const auto& options = config_.training;
  if (clock_ - folder_checked_ >= kFolderCheckInterval) {
    folder_checked_ = clock_;
    check_run_folder();
  }
  if (state_.step % options.log_every == 0) {
    flush_losses();
    reporter_->report_training(state_, learning_rate_at(options, config_.model.d_model, state_.step));
  }
  reporter_->show_progress_line(state_);
  if (is_due(options.validate_every, state_.step, epoch_ended)) {
    validate();
  }
  if (is_due(options.checkpoint_every, state_.step, epoch_ended)) {
    save();
  }
}

bool Trainer::should_stop() {
  if (const auto signal = stop_signal()) {
    stop_reason_ = signal_name(*signal);
  } else {
    stop_reason_ = limit_reached(config_.training, state_);
  }
  return stop_reason_.has_value();
}

void Trainer::validate() {
  if (!validator_ || validated_step_ == state_.step) {
    return;
  }
  flush_losses();
  const auto result = [this] {
    const WeightAverage::InPlace averaged(average_);  // the weights that are saved as the model
    return validator_->validate();
  }();
  validated_step_ = state_.step;
  advance_clock();
  const auto [score, is_best] = record_validation(result, config_.training.best_metric, state_);
  score_ = score ? score : score_;
  reporter_->report_validation(state_, result, is_best);
  const auto& options = config_.training;
  const bool is_kept = is_best || (score && options.keep_best > 1 &&
                                   run_.checkpoints().is_among_best(*score, options.best_metric, options.keep_best));
  if (is_kept && state_.step > 0) {
    save();
  }
}

/// Waits for the device. The steps since the last call are then done, and their time is known.
void Trainer::flush_losses() {
  const auto start = std::chrono::steady_clock::now();
  check_updates();
  losses_.move_to(state_.window);
  advance_clock();
  state_.window.seconds += std::chrono::duration<double>(clock_ - start).count();
}

void Trainer::check_updates() {
  if (const auto refused = optimizer_->refused()) {
    throw RuntimeError(trail_.describe(
        *refused, [this](std::int64_t index) { return describe_training_pair(data_, config_, index); }));
  }
  trail_.clear();
}

void Trainer::save() {
  if (saved_step_ == state_.step) {
    return;
  }
  check_run_folder();
  flush_losses();
  advance_clock();  // before saving, because the saved time decides whether a time limit is reached
  state_.exp_avg = optimizer_->exp_avg();
  state_.exp_avg_sq = optimizer_->exp_avg_sq();
  state_.weights = average_ ? unique_parameters(model_) : NamedTensors();
  const auto folder =
      save_checkpoint(run_.checkpoints(), {.weights = average_ ? average_->values() : unique_parameters(model_),
                                           .config = config_,
                                           .source_tokenizer = data_.tokenizers.source.serialized(),
                                           .target_tokenizer = data_.tokenizers.target.serialized(),
                                           .step = state_.step,
                                           .score = score_,
                                           .training_state = state_,
                                           .text = data_.sums});
  saved_step_ = state_.step;
  checkpoint_ = folder;
  log_info("saved " + folder.string());
  run_.checkpoints().prune(config_.training.keep_last, config_.training.keep_best);
}

/// A folder that was moved still belongs to this run, so that no training is lost.
void Trainer::check_run_folder() {
  const auto former = run_.path();
  if (!run_.follow_move()) {
    return run_.check_in_place(checkpoint_);
  }
  if (state_.step > 0) {
    save();
  }
  throw RuntimeError(
      fmt::format("{}: the run folder was moved to {} during training, so training stops at step {}{}; "
                  "--config {} resumes it there",
                  former.string(), run_.path().string(), state_.step, state_.step > 0 ? ", which was saved there" : "",
                  (run_.path() / "config.json").string()));
}

void Trainer::finish() {
  if (state_.step == 0) {
    return;
  }
  if (!stop_signal()) {
    // `patience` does not count a validation that is made only because training ends: with a higher limit the run
    // resumes.
    const auto waited = state_.validations_since_best;
    validate();
    state_.validations_since_best = std::min(state_.validations_since_best, waited);
  }
  save();
  show_progress("");
}

void Trainer::advance_clock() {
  const auto now = std::chrono::steady_clock::now();
  state_.seconds += std::chrono::duration<double>(now - clock_).count();
  clock_ = now;
}

}  // namespace translate
