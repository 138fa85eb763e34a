#include "training/batch_fit.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/logging.h"
#include "core/memory.h"
#include "data/batches/bilingual_dataset.h"
#include "data/batches/data_loader.h"
#include "model/model_description.h"
#include "model/modules/model_size.h"
#include "model/modules/transformer.h"
#include "tensors/device.h"
#include "training/loss/batch_loss.h"
#include "training/optimizer/schedule.h"
#include "training/validator.h"

namespace translate {

namespace {

using Clock = std::chrono::steady_clock;

/// Follows what LibTorch's allocators hand out, as its profiler does.
class MemoryMeter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*pointer*/, std::int64_t size, std::size_t /*allocated*/, std::size_t /*reserved*/,
                         c10::Device /*device*/) override {
    const auto now = held_.fetch_add(size) + size;
    auto most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
  }
  [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }

  /// What is held beyond what was there at the start, and the most that was.
  [[nodiscard]] std::int64_t now() const { return held_; }
  [[nodiscard]] std::int64_t most() const { return most_; }

 private:
  std::atomic<std::int64_t> held_ = 0;
  std::atomic<std::int64_t> most_ = 0;
};

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

TrialRun::TrialRun(Transformer model, const Config& config, const c10::Device& device)
    : config_(config), loss_(training_loss(model, config.training, device)) {
  set_word_dropout(model, config.training.word_dropout);
  model->to(device);
  model->train();
  optimizer_.emplace(unique_parameters(model), config.training.optimizer, config.model.num_heads);
}

StepCost TrialRun::step(const Batch& batch) {
  StepCost cost;
  const auto start = Clock::now();
  {
    const auto meter = std::make_shared<MemoryMeter>();
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
    const auto sums = loss_(batch);
    cost.forward_bytes = meter->now();
    (sums.minimised() / static_cast<double>(batch.target_tokens)).backward();
    static_cast<void>(sums.plain.item<double>());  // waits for the device
    cost.peak_bytes = meter->most();
  }
  const auto between = Clock::now();
  optimizer_->step(learning_rate_at(config_.training, config_.model.d_model, ++steps_));
  optimizer_->clear_gradients();
  static_cast<void>(optimizer_->refused());  // waits for the device
  cost.pass_seconds = seconds_between(start, between);
  cost.update_seconds = seconds_between(between, Clock::now());
  return cost;
}

namespace {

/// The share of a batch whose step keeps to the budget.
double affordable_share(const Transformer& model, const Batch& batch, const c10::Device& device,
                        const TrialBudget& budget) {
  if (!device.is_cpu()) {
    return 1.0;
  }
  const auto cost =
      multiply_adds(model->options(), model->sizes().target, static_cast<double>(batch.encoder_input.size(1)),
                    static_cast<double>(batch.label.size(1)));
  const auto positions = [](const at::Tensor& ids) { return static_cast<double>(ids.numel()); };
  const auto step =
      3.0 * (cost.source_token * positions(batch.encoder_input) + cost.target_token * positions(batch.label));
  return std::min(1.0, budget.multiply_adds / step);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Trial run_trial(Transformer model, const TrainingData& data, const Config& config, const c10::Device& device,
                const TrialBudget& budget) {
  const auto load = [&](std::uint64_t epoch) {
    return EpochLoader(data.train, data.tokenizers, training_loader_options(config), epoch);
  };
  std::uint64_t epoch = 0;
  auto loader = load(epoch);
  Trial trial;
  trial.gradient_bytes = parameter_count(model) * static_cast<std::int64_t>(sizeof(float));
  const auto start = std::chrono::steady_clock::now();
  TrialRun run(model, config, device);
  while (run.steps() < 2 || seconds_since(start) < budget.seconds) {
    const auto next = loader.next();
    if (!next) {
      loader = load(++epoch);
      continue;
    }
    if (run.steps() == 0) {
      trial.share_of_batch = affordable_share(model, *next, device, budget);
    }
    const auto rows = std::ceil(trial.share_of_batch * static_cast<double>(next->sentences));
    const auto batch = next->rows(0, static_cast<std::int64_t>(rows), padding_ids(data.tokenizers));
    const auto cost = run.step(batch.to(device));
    trial.forward_bytes = std::max(trial.forward_bytes, cost.forward_bytes);
    trial.peak_bytes = std::max(trial.peak_bytes, cost.peak_bytes);
    if (run.steps() > 1) {  // the first one warms up
      trial.target_tokens += batch.target_tokens;
      ++trial.updates;
      trial.pass_seconds += cost.pass_seconds;
      trial.update_seconds += cost.update_seconds;
    }
  }
  return trial;
}

namespace {

constexpr std::int64_t kLargestTrial = 8192;  // target tokens: enough to see the gradient
constexpr std::int64_t kTrialRatio = 4;       // between the larger trial and the smaller
constexpr std::int64_t kRounding = 50;
constexpr double kBatchesAhead = 5.0;     // those that the loader holds ready, and the one in hand
constexpr double kPlanBytesAPair = 12.0;  // while an epoch is planned
constexpr double kMebibyte = 1024.0 * 1024.0;

double bytes_of(const Batch& batch) {
  return static_cast<double>(batch.encoder_input.nbytes() + batch.decoder_input.nbytes() + batch.label.nbytes());
}

/// The larger trial: as large as can be waited for.
std::int64_t largest_trial(const Transformer& model, const DataStatistics& statistics, const c10::Device& device) {
  if (!device.is_cpu()) {
    return kLargestTrial;
  }
  const auto pairs = static_cast<double>(statistics.train_pairs);
  const auto source = static_cast<double>(statistics.train_source_tokens) / pairs + 1.0;  // sos
  const auto target = static_cast<double>(statistics.train_target_tokens) / pairs;
  const auto cost = multiply_adds(model->options(), model->sizes().target, source, target);
  const auto a_token = 3.0 * (cost.source_token * source / target + cost.target_token);
  const auto affordable = TrialBudget{}.multiply_adds / a_token;
  return std::clamp(static_cast<std::int64_t>(affordable), kSmallestAutoBatch, kLargestTrial);
}

/// Steps on weights that are thrown away, and what memory they take.
class MemoryTrial {
 public:
  MemoryTrial(const TrainingData& data, const Config& config, const c10::Device& device)
      : data_(data),
        config_(config),
        device_(device),
        model_(build_transformer(config.model, vocabulary_sizes(data.tokenizers))),
        run_(model_, config, device) {}

  [[nodiscard]] const Transformer& model() const { return model_; }

  /// A step with the heaviest batch of so many target tokens, and the heaviest of validation after it.
  TriedStep step(std::int64_t tokens) {
    const auto batch = heaviest(data_.train, tokens);
    give_back_memory(device_);
    const MemoryGrowth growth(device_);
    const auto allocated = run_.step(batch.to(device_)).peak_bytes;
    if (data_.validation && data_.validation->size() > 0) {
      validate(heaviest(data_.validation, tokens));
    }
    auto bytes = static_cast<double>(std::max(allocated, growth.bytes()));
    if (device_.is_cpu()) {
      bytes += kBatchesAhead * bytes_of(batch);
    }
    log_debug(
        fmt::format("tried {} sentences of {} and {} positions, {} target tokens: {:.1f} MiB, {:.1f} of them tensors",
                    batch.sentences, batch.encoder_input.size(1), batch.label.size(1), batch.target_tokens,
                    bytes / kMebibyte, static_cast<double>(allocated) / kMebibyte));
    return {.target_tokens = static_cast<double>(batch.target_tokens),
            .weight =
                step_weight(model_->options(), static_cast<double>(batch.sentences),
                            static_cast<double>(batch.encoder_input.size(1)), static_cast<double>(batch.label.size(1))),
            .bytes = bytes};
  }

 private:
  [[nodiscard]] Batch heaviest(const std::shared_ptr<const EncodedCorpus>& corpus, std::int64_t tokens) const {
    return heaviest_batch(corpus, data_.tokenizers, tokens, [&](std::int64_t rows, const PairLength& longest) {
      return step_weight(model_->options(), static_cast<double>(rows), longest.source, longest.target);
    });
  }

  void validate(Batch batch) {
    const EvaluationMode evaluation(model_);
    const ExecutionContext context(device_, resolve_precision(config_.training.precision, device_));
    const AutocastGuard autocast(device_, context.precision());
    const auto readable = within_positions(std::move(batch), model_->options(), model_->sizes().target_pad);
    static_cast<void>(batch_loss(model_, readable.to(device_), /*smoothing=*/0.0, context).plain.item<double>());
  }

  const TrainingData& data_;
  const Config& config_;
  c10::Device device_;
  Transformer model_;
  TrialRun run_;
};

/// Adds tried steps to `steps`, the larger one only where it is sure to fit.
void try_steps(MemoryTrial& trial, std::int64_t largest, double at_hand, std::vector<TriedStep>& steps) {
  const auto small = largest / kTrialRatio;
  steps.push_back(trial.step(small));
  const auto safe = fit_step_memory(std::span(steps).first(1));  // in proportion: more than it takes
  const auto large = std::min(static_cast<double>(largest), kShareOfMemory * at_hand / safe.per_token);
  if (large >= 2.0 * static_cast<double>(small)) {
    steps.push_back(trial.step(static_cast<std::int64_t>(large)));
  }
}

}  // namespace

double step_weight(const ModelOptions& model, double rows, double source, double target) {
  const auto width = static_cast<double>(model.d_model);
  const auto inner = static_cast<double>(model.d_ff);
  const auto heads = static_cast<double>(model.num_heads);
  const auto encoder = source * (8.0 * width + 2.0 * inner) + heads * source * source;
  const auto decoder = target * (14.0 * width + 2.0 * inner) + heads * target * (source + target);
  return rows *
         (static_cast<double>(model.encoder_layers) * encoder + static_cast<double>(model.decoder_layers) * decoder);
}

StepMemory fit_step_memory(std::span<const TriedStep> steps) {
  const auto& last = steps.back();
  double weight_a_token = 0.0;
  for (const auto& step : steps) {
    weight_a_token = std::max(weight_a_token, step.weight / step.target_tokens);
  }
  const auto& first = steps.front();
  double gradient = (last.bytes - first.bytes) / std::max(last.weight - first.weight, 1.0);
  double fixed = first.bytes - gradient * first.weight;
  if (steps.size() == 1 || gradient <= 0.0 || fixed < 0.0) {
    gradient = last.bytes / last.weight;
    fixed = 0.0;
  }
  return {.fixed = fixed, .per_token = gradient * weight_a_token};
}

std::string BatchSize::describe(const c10::Device& device) const {
  const auto why = tokens == kLargestAutoBatch    ? ", the largest that auto uses"
                   : tokens == kSmallestAutoBatch ? ", the smallest that auto uses"
                                                  : "";
  const auto step = step_bytes > 0.0 ? fmt::format("a step is expected to take {:.0f} MiB", step_bytes / kMebibyte)
                                     : std::string("all trial steps ran out of memory");
  return fmt::format(
      "training.batch_tokens: auto: {} target tokens{}: {} besides weights and optimizer; "
      "{:.0f} MiB are available on {}",
      tokens, why, step, at_hand / kMebibyte, device.str());
}

BatchSize choose_batch_size(const StepMemory& memory, double at_hand) {
  const auto left = kShareOfMemory * at_hand - memory.fixed;
  const auto most = std::clamp(left / std::max(memory.per_token, 1.0), 0.0, static_cast<double>(kLargestAutoBatch));
  const auto rounded = static_cast<std::int64_t>(most) / kRounding * kRounding;
  const auto tokens = std::max(rounded, kSmallestAutoBatch);
  return {.tokens = tokens, .step_bytes = memory.bytes_for(static_cast<double>(tokens)), .at_hand = at_hand};
}

BatchSize measure_batch_size(const TrainingData& data, const Config& config, const c10::Device& device) {
  std::vector<TriedStep> steps;
  double at_hand = 0.0;
  try {
    MemoryTrial trial(data, config, device);
    const auto largest = largest_trial(trial.model(), data.statistics, device);
    static_cast<void>(trial.step(kSmallestAutoBatch / kTrialRatio));  // warms up: what is made once is made here
    give_back_memory(device);
    at_hand = static_cast<double>(memory_at_hand(device));
    if (device.is_cpu()) {
      at_hand = std::max(at_hand - kPlanBytesAPair * static_cast<double>(data.train->size()), 0.0);
    }
    try_steps(trial, largest, at_hand, steps);
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
  }
  give_back_memory(device);
  if (steps.empty()) {
    return {.tokens = kSmallestAutoBatch, .step_bytes = 0.0, .at_hand = at_hand};
  }
  return choose_batch_size(fit_step_memory(steps), at_hand);
}

Config with_batch_size(Config config, const TrainingData& data, const c10::Device& device) {
  if (config.training.batch_tokens.is_auto()) {
    log_info("training.batch_tokens: auto: trying a few steps with temporary weights");
    const auto size = measure_batch_size(data, config, device);
    config.training.batch_tokens = size.tokens;
    if (size.step_bytes > kShareOfMemory * size.at_hand || size.step_bytes == 0.0) {
      log_warning(size.describe(device));
    } else {
      log_info(size.describe(device));
    }
  }
  return config;
}

}  // namespace translate
