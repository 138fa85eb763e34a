#include "training/step_probe.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/logging.h"
#include "data/batches/bilingual_dataset.h"
#include "data/batches/data_loader.h"
#include "model/memory_need.h"
#include "model/model_size.h"
#include "tensors/device.h"
#include "tensors/device_memory.h"
#include "training/loss/batch_loss.h"
#include "training/optimizer/schedule.h"
#include "training/validator.h"

namespace translate::trainer {

namespace {

using Clock = std::chrono::steady_clock;

/// Counts the memory that LibTorch's allocators hand out, as its profiler does.
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

  /// The bytes allocated since the start and not freed, and the maximum of this number so far.
  [[nodiscard]] std::int64_t now() const { return held_; }
  [[nodiscard]] std::int64_t most() const { return most_; }

 private:
  std::atomic<std::int64_t> held_ = 0;
  std::atomic<std::int64_t> most_ = 0;
};

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

constexpr std::int64_t kLargestProbe = 8192;  // target tokens: enough to see how memory grows
constexpr std::int64_t kProbeRatio = 4;       // ratio of a probe to the next smaller one
constexpr std::int64_t kSmallestProbe = kSmallestBatch / kProbeRatio;
constexpr std::int64_t kRounding = 50;
constexpr std::int64_t kBatchesAhead = 5;   // the batches that the loader holds ready, and the one in use
constexpr double kPlanBytesPerPair = 12.0;  // while an epoch is planned
constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr double kReserve = 16.0 * kMebibyte;  // on the CPU: for logs, checkpoints and the loader's thread

/// Counts the ids of both sides with their places, and the labels.
std::int64_t bytes_of(const Batch& batch) {
  return static_cast<std::int64_t>(sizeof(std::int64_t)) * (2 * batch.source_tokens() + 3 * batch.target_tokens());
}

}  // namespace

double StepCost::seconds_for(double tokens, double updates) const {
  return tokens * pass_seconds / static_cast<double>(target_tokens) +
         updates * update_seconds / static_cast<double>(steps);
}

double StepCost::bytes_per_batch() const {
  return share_of_batch == 1.0
             ? static_cast<double>(peak_bytes)
             : static_cast<double>(forward_bytes) / share_of_batch + static_cast<double>(gradient_bytes);
}

StepProbe::StepProbe(Transformer model, const TrainingData& data, const Config& config, const c10::Device& device)
    : model_(std::move(model)),
      data_(data),
      config_(config),
      device_(device),
      loss_(training_loss(model_, config.training, device)) {
  model_->to(device);
  set_word_dropout(model_, config.training.word_dropout);
  model_->train();
  optimizer_.emplace(unique_parameters(model_), config.training.optimizer, layer_matrices(config.model));
}

StepCost StepProbe::step(const Batch& given) {
  const auto batch = given.to(device_);
  StepCost cost{.steps = 1,
                .target_tokens = batch.target_tokens(),
                .gradient_bytes = parameter_count(model_) * static_cast<std::int64_t>(sizeof(float)),
                .activations = step_activations(model_->options(), static_cast<double>(batch.sentences()),
                                                static_cast<double>(batch.source_length()),
                                                static_cast<double>(batch.target_length()))};
  const auto start = Clock::now();
  {
    const auto meter = std::make_shared<MemoryMeter>();
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
    const auto sums = loss_(batch);
    cost.forward_bytes = meter->now();
    (sums.minimised / static_cast<double>(batch.target_tokens())).backward();
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

StepCost StepProbe::heaviest_step(std::int64_t tokens) {
  const auto batch = heaviest(data_.train, tokens);
  compute_device(device_)->give_back_memory();
  const MemoryGrowth growth(device_);
  auto cost = step(batch);
  const auto allocated = cost.peak_bytes;
  if (data_.validation && data_.validation->size() > 0) {
    validate(heaviest(data_.validation, tokens));
  }
  cost.peak_bytes = std::max<std::int64_t>(allocated, growth.bytes());
  if (device_.is_cpu()) {
    cost.peak_bytes += kBatchesAhead * bytes_of(batch);
  }
  log_debug(
      fmt::format("tried {} sentences of {} and {} positions, {} target tokens: {:.1f} MiB, {:.1f} of them tensors",
                  batch.sentences(), batch.source_length(), batch.target_length(), batch.target_tokens(),
                  static_cast<double>(cost.peak_bytes) / kMebibyte, static_cast<double>(allocated) / kMebibyte));
  return cost;
}

Batch StepProbe::heaviest(const std::shared_ptr<const EncodedCorpus>& corpus, std::int64_t tokens) const {
  return heaviest_batch(corpus, data_.tokenizers, tokens, [&](std::int64_t rows, const PairLength& longest) {
    return step_activations(model_->options(), static_cast<double>(rows), longest.source, longest.target);
  });
}

void StepProbe::validate(Batch batch) {
  const EvaluationMode evaluation(model_);
  const ExecutionContext context(device_, resolve_precision(config_.training.precision, kind_of(device_)));
  const auto readable = within_positions(std::move(batch), model_->options());
  static_cast<void>(batch_loss(model_, readable.to(device_), /*settings=*/{}, context).plain.item<double>());
}

StepCost StepProbe::time_steps(double seconds, double multiply_adds) {
  const auto load = [&](std::uint64_t epoch) {
    auto options = training_loader_options(config_);
    options.modifier_links = data_.links;
    return EpochLoader(data_.train, data_.tokenizers, options, epoch);
  };
  std::uint64_t epoch = 0;
  auto loader = load(epoch);
  StepCost total;
  bool warm = false;
  const auto start = Clock::now();
  while (total.steps < 1 || seconds_between(start, Clock::now()) < seconds) {
    const auto next = loader.next();
    if (!next) {
      loader = load(++epoch);
      continue;
    }
    if (!warm) {
      total.share_of_batch = affordable_share(*next, multiply_adds);
    }
    const auto rows = std::ceil(total.share_of_batch * static_cast<double>(next->sentences()));
    const auto cost = step(next->slice(0, static_cast<std::int64_t>(rows)));
    total.forward_bytes = std::max(total.forward_bytes, cost.forward_bytes);
    total.peak_bytes = std::max(total.peak_bytes, cost.peak_bytes);
    total.gradient_bytes = cost.gradient_bytes;
    if (warm) {
      ++total.steps;
      total.target_tokens += cost.target_tokens;
      total.pass_seconds += cost.pass_seconds;
      total.update_seconds += cost.update_seconds;
    }
    warm = true;
  }
  return total;
}

double StepProbe::affordable_share(const Batch& batch, double multiply_adds) const {
  if (!device_.is_cpu()) {
    return 1.0;
  }
  const auto cost =
      translate::multiply_adds(model_->options(), model_->sizes().target, static_cast<double>(batch.source_length()),
                               static_cast<double>(batch.target_length()));
  const auto step = 3.0 * static_cast<double>(batch.sentences()) *
                    (cost.source_token * static_cast<double>(batch.source_length()) +
                     cost.target_token * static_cast<double>(batch.target_length()));
  return std::min(1.0, multiply_adds / step);
}

double step_activations(const ModelOptions& model, double rows, double source, double target) {
  const auto width = static_cast<double>(model.d_model);
  const auto inner = static_cast<double>(model.d_ff);
  const auto heads = static_cast<double>(model.num_heads);
  const auto encoder = source * (8.0 * width + 2.0 * inner) + heads * source * source;
  const bool is_recurrent = model.decoder == DecoderKind::kSsru;
  const auto within_target = is_recurrent ? 3.0 * width : 4.0 * width + heads * target;  // of a position
  const auto decoder = target * (10.0 * width + 2.0 * inner + within_target) + heads * target * source;
  return rows *
         (static_cast<double>(model.encoder_layers) * encoder + static_cast<double>(model.decoder_layers) * decoder);
}

std::string BatchSize::describe(const c10::Device& device) const {
  const auto why = tokens == kLargestBatch    ? ", the largest that auto uses"
                   : tokens == kSmallestBatch ? ", the smallest that auto uses"
                                              : "";
  const auto step = step_bytes > 0.0 ? fmt::format("a step is expected to take {:.0f} MiB", step_bytes / kMebibyte)
                                     : std::string("all trial steps ran out of memory");
  return fmt::format(
      "training.batch_tokens: auto: {} target tokens{}: {} in addition to weights and optimizer; "
      "{:.0f} MiB are available on {}",
      tokens, why, step, available / kMebibyte, device.str());
}

namespace {

/// The memory of a step as a linear function of its target tokens.
struct MemoryLine {
  double fixed = 0.0;
  double per_token = 0.0;
};

MemoryLine fit_memory(std::span<const StepCost> steps) {
  const auto bytes = [](const StepCost& step) { return static_cast<double>(step.peak_bytes); };
  const auto& first = steps.front();
  const auto& last = steps.back();
  double activations_per_token = 0.0;
  for (const auto& step : steps) {
    activations_per_token = std::max(activations_per_token, step.activations / static_cast<double>(step.target_tokens));
  }
  double growth = (bytes(last) - bytes(first)) / std::max(last.activations - first.activations, 1.0);
  double fixed = bytes(first) - growth * first.activations;
  if (steps.size() == 1 || growth <= 0.0 || fixed < 0.0) {
    growth = bytes(last) / last.activations;
    fixed = 0.0;
  }
  return {.fixed = fixed, .per_token = growth * activations_per_token};
}

/// Returns the target tokens of the larger probe: as many as fit a reasonable waiting time.
std::int64_t largest_probe(const Transformer& model, const DataStatistics& statistics, const c10::Device& device) {
  if (!device.is_cpu()) {
    return kLargestProbe;
  }
  const auto pairs = static_cast<double>(statistics.train_pairs);
  const auto source = static_cast<double>(statistics.train_source_tokens) / pairs + 1.0;  // sos
  const auto target = static_cast<double>(statistics.train_target_tokens) / pairs;
  const auto cost = multiply_adds(model->options(), model->sizes().target, source, target);
  const auto per_token = 3.0 * (cost.source_token * source / target + cost.target_token);
  const auto affordable = kProbeMultiplyAdds / per_token;
  return std::clamp(static_cast<std::int64_t>(affordable), kSmallestBatch, kLargestProbe);
}

}  // namespace

void try_steps(const TrialStep& trial, std::int64_t largest, double available, std::vector<StepCost>& steps) {
  auto tokens = largest;
  while (tokens / kProbeRatio >= kSmallestProbe) {
    tokens /= kProbeRatio;
  }
  while (true) {
    steps.push_back(trial(tokens));
    const auto safe =
        fit_memory(std::span(steps).last(1));  // without a fixed part, hence more than a larger step takes
    const auto next = std::min({static_cast<double>(largest), static_cast<double>(kProbeRatio * tokens),
                                kShareOfMemory * available / safe.per_token});
    if (next < 2.0 * static_cast<double>(tokens)) {
      return;
    }
    tokens = static_cast<std::int64_t>(next);
  }
}

BatchSize choose_batch_size(std::span<const StepCost> steps, double available) {
  const auto memory = fit_memory(steps);
  const auto left = kShareOfMemory * available - memory.fixed;
  const auto most = std::clamp(left / std::max(memory.per_token, 1.0), 0.0, static_cast<double>(kLargestBatch));
  const auto rounded = static_cast<std::int64_t>(most) / kRounding * kRounding;
  const auto tokens = std::max(rounded, kSmallestBatch);
  return {.tokens = tokens,
          .step_bytes = memory.fixed + memory.per_token * static_cast<double>(tokens),
          .available = available};
}

BatchSize measure_batch_size(const TrainingData& data, const Config& config, const c10::Device& device) {
  const auto memory = compute_device(device);
  std::vector<StepCost> steps;
  double available = 0.0;
  try {
    const auto model = build_transformer(config.model, vocabulary_sizes(data.tokenizers));
    StepProbe probe(model, data, config, device);
    const auto largest = largest_probe(model, data.statistics, device);
    // The first step warms up: buffers that are allocated only once should not count as a step's memory.
    static_cast<void>(probe.heaviest_step(kSmallestProbe));
    memory->give_back_memory();
    available = static_cast<double>(memory->available_memory());
    if (device.is_cpu()) {
      available = std::max(available - kPlanBytesPerPair * static_cast<double>(data.train->size()) - kReserve, 0.0);
    }
    try_steps([&](std::int64_t tokens) { return probe.heaviest_step(tokens); }, largest, available, steps);
  } catch (const std::exception& error) {
    if (!memory->is_out_of_memory(error)) {
      throw;
    }
  }
  memory->give_back_memory();
  if (steps.empty()) {
    return {.tokens = kSmallestBatch, .step_bytes = 0.0, .available = available};
  }
  return choose_batch_size(std::span(steps).last(std::min<std::size_t>(steps.size(), 2)), available);
}

Config with_batch_size(Config config, const TrainingData& data, const c10::Device& device) {
  if (config.training.batch_tokens.is_auto()) {
    log_info("training.batch_tokens: auto: trying a few steps with temporary weights");
    const auto size = measure_batch_size(data, config, device);
    config.training.batch_tokens = size.tokens;
    if (size.step_bytes > kShareOfMemory * size.available || size.step_bytes == 0.0) {
      log_warning(size.describe(device));
    } else {
      log_info(size.describe(device));
    }
  }
  return config;
}

}  // namespace translate::trainer
