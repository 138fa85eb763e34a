#include "training/trainer.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "checkpoint/model_card.h"
#include "checkpoints/training_state.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/random_numbers.h"
#include "core/stop_signal.h"
#include "data/batches/data_loader.h"
#include "data/training_data.h"
#include "languages/directions.h"
#include "metrics/metric_choice.h"
#include "model/aligning_attention.h"
#include "model/memory_need.h"
#include "tensors/device.h"
#include "tensors/device_memory.h"
#include "training/data_parallel/process_share.h"
#include "training/optimizer/schedule.h"
#include "training/stages.h"
#include "training/validator.h"

namespace translate::trainer {

Trainer::Trainer(Config config, TrainingData data, RunDirectory& run, c10::Device device, ProcessGroup& group,
                 OptimizerSharding sharding)
    : config_(std::move(config)),
      data_(std::move(data)),
      run_(run),
      group_(group),
      device_(device),
      precision_(resolve_precision(config_.training.precision, kind_of(device))),
      losses_(device) {
  seed_generators(config_.training.seed);
  model_ = build_transformer(config_.model, vocabulary_sizes(data_.tokenizers));
  model_->to(device_);
  model_->train();
  connect(sharding);
  if (shards_) {
    optimizer_.emplace(*shards_, config_.training.optimizer, layer_matrices(config_.model));
  } else {
    optimizer_.emplace(unique_parameters(model_), config_.training.optimizer, layer_matrices(config_.model));
  }
  if (config_.training.ema_decay > 0.0) {
    average_.emplace(unique_parameters(model_), config_.training.ema_decay);
  }
  set_word_dropout(model_, config_.training.word_dropout);
  gradient_pass_.emplace(training_loss(model_, config_.training, device_), unique_parameters(model_), device_,
                         exchange_ ? &*exchange_ : nullptr);
  if (data_.validation && data_.validation->size() > 0) {
    validator_.emplace(model_, data_, config_, device_);
  }
  if (group_.is_first()) {
    reporter_.emplace(config_.training, run_, compute_device(device_));
    finds_aligning_head_ = validator_ && !config_.model.alignment_layer;
  }
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
  if (!shards_) {  // share_moments() divides them
    optimizer_->restore(state_.exp_avg, state_.exp_avg_sq, state_.step);
  }
  score_ = checkpoint.manifest().validation();
  confidence_ = checkpoint.manifest().confidence;
  saved_step_ = state_.step;
  checkpoint_ = checkpoint.folder();
  validated_step_ = score_ ? state_.step : -1;
}

TrainingOutcome Trainer::run() {
  TrainingOutcome outcome;
  clock_ = std::chrono::steady_clock::now();
  folder_checked_ = clock_;
  agreed_.seconds = state_.seconds;
  next_early_report_ = state_.seconds + early_interval_;
  stop_reason_ = limit_reached(config_.training, state_, agreed_.seconds);
  outcome.trained = !stop_reason_;
  if (outcome.trained && reporter_) {
    reporter_->start(state_);
  }
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
  outcome.signal = group_.is_alone() ? stop_signal() : agreed_.signal;
  if (const auto latest = run_.checkpoints().latest(Verify::kSizes)) {
    outcome.checkpoint = latest->folder();
  }
  return outcome;
}

EpochLoader Trainer::rest_of_epoch() const {
  auto options = training_loader_options(config_of_stage(config_, state_.stage), device_);
  options.process = process_share(group_);
  options.links = config_.training.guided_alignment == GuidedAlignment::kOff ? nullptr : data_.links;
  options.modifier_links = data_.links;
  options.predictions = data_.predictions;
  if (state_.data_order > 0) {
    options.seed = mix_seeds({options.seed, static_cast<std::uint64_t>(state_.data_order)});
  }
  return {data_.train, data_.tokenizers, options, static_cast<std::uint64_t>(state_.epoch),
          static_cast<std::size_t>(state_.batches_in_epoch)};
}

std::vector<Batch> Trainer::take_batches(EpochLoader& loader) const {
  auto batches = loader.next_step().value();
  for (auto& batch : batches) {
    batch = batch.to(device_);  // the copy to a GPU is only enqueued here
  }
  return batches;
}

bool Trainer::end_stage(const EpochLoader& loader, double passes) {
  const auto& stages = config_.training.stages;
  if (state_.stage.index >= std::ssize(stages)) {
    return false;
  }
  const auto limit = stage_limit_reached(stages[static_cast<std::size_t>(state_.stage.index)], state_,
                                         passes * epochs_in_stage(state_, loader.batches()), agreed_.seconds);
  if (!limit) {
    return false;
  }
  log_info(
      fmt::format("stage {} of {} ended at step {}: {}", state_.stage.index + 1, stages.size(), state_.step, *limit));
  enter_next_stage(state_, agreed_.seconds);
  return true;
}

void Trainer::run_epoch() {
  auto loader = rest_of_epoch();
  const auto passes = passes_of_epoch(config_, state_.stage, data_.train->pairs_of_files());
  if (end_stage(loader, passes)) {
    return;
  }
  if (!config_.training.stages.empty() && stage_logged_ != state_.stage.index) {
    stage_logged_ = state_.stage.index;
    log_info(describe_stage(config_, state_.stage));
  }
  if (reporter_) {
    reporter_->set_steps_per_epoch(steps_per_epoch(loader.batches(), config_.training));
  }
  if (!padding_logged_) {
    padding_logged_ = true;
    log_info(fmt::format("an epoch has {} batches; padding is {:.2f} % of source and target positions",
                         loader.batches(), 100.0 * loader.padding()));
  }
  step_start_ = std::chrono::steady_clock::now();
  for (bool epoch_ended = false; !epoch_ended;) {
    auto batches = take_batches(loader);
    const auto result = train_step(batches);
    if (result == StepResult::kWentBack) {
      return;
    }
    batches.clear();
    state_.batches_in_epoch = static_cast<std::int64_t>(loader.position());
    epoch_ended = loader.position() == loader.batches();
    if (epoch_ended) {
      ++state_.epoch;
      state_.batches_in_epoch = 0;
    }
    after_step(result, epoch_ended);
    if (should_stop() || end_stage(loader, passes)) {
      return;
    }
    step_start_ = std::chrono::steady_clock::now();
  }
}

Trainer::StepResult Trainer::train_step(std::span<const Batch> batches) {
  std::int64_t target_tokens = 0;
  for (const auto& batch : batches) {
    target_tokens += batch.target_tokens();
  }
  if (debug_is_shown()) {
    log_pairs(batches);
  }
  // 1. Forward and backward, in all processes.
  const auto start = std::chrono::steady_clock::now();
  group_.progress(state_.step + 1);
  const auto sums = gradient_pass_->run(batches);
  own_loss_ = sums.plain;
  group_.note_batch(std::chrono::steady_clock::now() - start);
  agree(target_tokens);
  // 2. Clip and update, at the rate of this step. If the loss or a gradient is not finite, nothing changes. The loss of
  // one process is not known to the others, but the gradients are, and they are not finite either then.
  ++state_.step;
  trail_.add(state_.step, batches);
  update_weights(sums);
  optimizer_->clear_gradients();
  if (shards_) {
    shards_->share_weights();
  }
  if (reads_each_update()) {
    if (const auto refused = optimizer_->refused()) {
      return recover(*refused, batches);
    }
    trail_.clear();
    skipped_in_a_row_ = 0;
  }
  if (average_) {
    average_->update(state_.step);
  }
  // 3. Count.
  losses_.add(sums);
  state_.target_tokens += agreed_.target_tokens;
  state_.window.target_tokens += agreed_.target_tokens;
  score_.reset();
  confidence_.reset();
  advance_clock();
  state_.window.seconds += std::chrono::duration<double>(clock_ - step_start_).count();
  return StepResult::kUpdated;
}

void Trainer::update_weights(const LossSums& sums) {
  optimizer_->step(learning_rate_at(config_.training, config_.model.d_model, state_.step),
                   config_.training.clip_grad_norm, group_.is_alone() ? sums.plain : at::Tensor());
}

void Trainer::log_pairs(std::span<const Batch> batches) const {
  for (const auto& batch : batches) {
    if (batch.indices.empty()) {
      continue;  // the part of a process that got none
    }
    std::vector<std::string> pairs;
    for (const auto index : batch.indices) {
      pairs.push_back(describe_training_pair(data_, config_, index));
    }
    log_debug(fmt::format("step {}: a batch of {}: {}", state_.step + 1, counted(pairs.size(), "pair"),
                          fmt::join(pairs, ", ")));
  }
}

void Trainer::after_step(StepResult result, bool epoch_ended) {
  const auto& options = config_.training;
  if (agreed_.folder_moved) {
    stop_in_moved_folder();
  }
  if (result == StepResult::kUpdated && state_.step % options.log_every == 0) {
    flush_losses();
    if (reporter_) {
      reporter_->report_training(state_, learning_rate_at(options, config_.model.d_model, state_.step));
    } else {
      state_.window = {};
    }
    next_early_report_.reset();
  }
  report_early();
  if (reporter_) {
    reporter_->show_progress_line(state_);
  }
  if (is_due(options.validate_every, state_.step, epoch_ended)) {
    validate();
  }
  if (is_due(options.checkpoint_every, state_.step, epoch_ended)) {
    save();
  }
}

/// Before the first report of this process, tells the loss after some seconds, and again each time that these have
/// doubled: where steps are slow, the first report comes after minutes. What is reported later stays the same.
void Trainer::report_early() {
  if (!next_early_report_ || agreed_.seconds < *next_early_report_) {
    return;
  }
  early_interval_ *= 2.0;
  *next_early_report_ += early_interval_;
  const auto loss_sum = state_.window.loss_sum + losses_.plain_sum(group_);
  if (reporter_) {
    reporter_->report_early(state_, loss_sum);
  }
}

bool Trainer::should_stop() {
  if (group_.is_alone()) {  // also between two updates
    agreed_.signal = stop_signal();
    agreed_.seconds = state_.seconds;
  }
  stop_reason_ =
      agreed_.signal ? signal_name(*agreed_.signal) : limit_reached(config_.training, state_, agreed_.seconds);
  return stop_reason_.has_value();
}

void Trainer::validate() {
  if (!validator_ || validated_step_ == state_.step) {
    return;
  }
  flush_losses();
  const auto result = [this] {
    const WeightAverage::InPlace averaged(average_);  // the weights that are saved as the model
    return validator_->validate(group_);
  }();
  validated_step_ = state_.step;
  advance_clock();
  const auto [score, is_best] = record_validation(result, config_.training.best_metric, state_);
  score_ = score ? score : score_;
  confidence_ = result.confidence;
  if (reporter_) {
    reporter_->report_validation(state_, result, is_best);
  }
  const auto& options = config_.training;
  const bool is_kept =
      is_best ||
      (score && options.keep_best > 1 &&
       agrees(group_.is_first() && run_.checkpoints().is_among_best(*score, options.best_metric, options.keep_best)));
  if (is_kept && state_.step > 0) {
    save();
  }
}

/// Waits for the device. The steps since the last call are then done, and their time is known.
void Trainer::flush_losses() {
  const auto start = std::chrono::steady_clock::now();
  check_updates();
  losses_.move_to(state_.window, group_);
  advance_clock();
  state_.window.seconds += std::chrono::duration<double>(clock_ - start).count();
}

void Trainer::check_updates() {
  if (auto refused = optimizer_->refused()) {
    throw RuntimeError(fmt::format("{} {}", describe_refused(*refused, {}), kNonFiniteAdvice));
  }
  trail_.clear();
}

void Trainer::save() {
  if (saved_step_ == state_.step) {
    return;
  }
  flush_losses();
  saved_step_ = state_.step;
  const auto whole = [this](const NamedTensors& moments) { return shards_ ? shards_->gather(moments) : moments; };
  state_.exp_avg = whole(optimizer_->exp_avg());
  state_.exp_avg_sq = whole(optimizer_->exp_avg_sq());
  if (!group_.is_first()) {
    return;
  }
  const auto long_work = group_.long_work();
  follow_run_folder();
  reporter_->flush();
  find_aligning_head();
  advance_clock();  // before saving, because the saved time decides whether a time limit is reached
  state_.weights = average_ ? unique_parameters(model_) : NamedTensors();
  const auto folder =
      save_checkpoint(run_.checkpoints(), {.weights = average_ ? average_->values() : unique_parameters(model_),
                                           .config = config_,
                                           .source_tokenizer = data_.tokenizers.source.serialized(),
                                           .target_tokenizer = data_.tokenizers.target.serialized(),
                                           .step = state_.step,
                                           .score = score_ ? std::optional(score_->score) : std::nullopt,
                                           .loss = score_ ? score_->loss : std::nullopt,
                                           .confidence = confidence_,
                                           .training_state = state_,
                                           .text = data_.sums,
                                           .source_words = data_.train->source_words(),
                                           .card = card()});
  state_.exp_avg.clear();
  state_.exp_avg_sq.clear();
  checkpoint_ = folder;
  log_info("saved " + folder.string());
  if (!config_.training.keep_last.are_all()) {
    run_.checkpoints().prune(config_.training.keep_last.count, config_.training.keep_best);
  }
}

std::string Trainer::card() const {
  ModelFacts facts{.title = (run_.path().filename() / run_.checkpoints().path_of(state_.step).filename()).string(),
                   .directions = known_directions(directions(config_, data_.tokenizers.source)),
                   .step = state_.step,
                   .score = {},
                   .is_average = false};
  if (score_) {
    const auto& training = config_.training;
    facts.score = {.metric = training.best_metric,
                   .value = score_->score,
                   .signature = validation_signature(training.best_metric, training.bleu_tokenization)};
  }
  return checkpoint_card(config_, data_.tokenizers, facts);
}

/// A folder that was moved still belongs to this run, so that no training is lost. Training stops at the end of the
/// update in which the processes agree on the move.
void Trainer::follow_run_folder() {
  const auto former = run_.path();
  if (run_.follow_move()) {
    moved_from_ = former;
  } else {
    run_.check_in_place(checkpoint_);
  }
}

void Trainer::stop_in_moved_folder() {
  save();
  if (!group_.is_first()) {
    group_.wait_for_all();  // ends with the error of the first process
  }
  throw RuntimeError(fmt::format(
      "{}: the run folder was moved to {} during training, so training stops at step {}, "
      "which was saved there; --config {} resumes it there",
      moved_from_.value_or("").string(), run_.path().string(), state_.step, (run_.path() / "config.json").string()));
}

void Trainer::finish() {
  if (state_.step == 0) {
    return;
  }
  if (!agreed_.signal) {
    // `patience` does not count a validation that is made only because training ends: with a higher limit the run
    // resumes.
    const auto waited = state_.validations_since_best;
    const bool was_saved_before = validator_ && saved_step_ == state_.step && validated_step_ != state_.step;
    validate();
    if (was_saved_before) {
      saved_step_ = -1;  // that checkpoint lacks the validation: it is written again
    }
    state_.validations_since_best = std::min(state_.validations_since_best, waited);
  }
  save();
  report_alignments();
  if (moved_from_) {
    stop_in_moved_folder();
  }
  show_progress("");
}

void Trainer::advance_clock() {
  const auto now = std::chrono::steady_clock::now();
  state_.seconds += std::chrono::duration<double>(now - clock_).count();
  clock_ = now;
}

}  // namespace translate::trainer
