#include "translate/training/trial.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "translate/data/data_loader.h"
#include "translate/model/fused_kernels.h"
#include "translate/model/model_size.h"
#include "translate/model/precision.h"
#include "translate/training/adam.h"
#include "translate/training/batch_loss.h"
#include "translate/training/schedule.h"

namespace translate {
namespace {

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

/// The first rows of a batch.
Batch first_rows(const Batch& batch, std::int64_t rows, std::int64_t target_pad) {
  if (rows >= batch.sentences) {
    return batch;
  }
  Batch part{.encoder_input = batch.encoder_input.slice(0, 0, rows),
             .decoder_input = batch.decoder_input.slice(0, 0, rows),
             .label = batch.label.slice(0, 0, rows),
             .sentences = rows,
             .source_tokens = 0,
             .target_tokens = 0,
             .indices = {}};
  part.target_tokens = part.label.ne(target_pad).sum().item<std::int64_t>();
  return part;
}

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

/// Steps on a model, timed and measured.
class TrialRun {
 public:
  TrialRun(Transformer model, const Config& config, const c10::Device& device)
      : model_(std::move(model)),
        config_(config),
        device_(device),
        precision_(resolve_precision(config.training.precision, device)) {
    model_->to(device);
    model_->train();
    optimizer_.emplace(unique_parameters(model_), config.training.optimizer);
  }

  /// A training step; only those after the first are counted, as the first one warms up.
  void step(const Batch& batch, Trial& trial) {
    const auto start = Clock::now();
    pass(batch, trial);
    const auto between = Clock::now();
    optimizer_->step(learning_rate_at(config_.training, config_.model.d_model, ++steps_));
    optimizer_->clear_gradients();
    if (steps_ > 1) {
      trial.target_tokens += batch.target_tokens;
      ++trial.updates;
      trial.pass_seconds += seconds_between(start, between);
      trial.update_seconds += seconds_between(between, Clock::now());
    }
  }

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] double seconds() const { return seconds_between(start_, Clock::now()); }

 private:
  using Clock = std::chrono::steady_clock;

  static double seconds_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  void pass(const Batch& batch, Trial& trial) {
    const auto meter = std::make_shared<MemoryMeter>();
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
    LossSums sums;
    {
      const AutocastGuard autocast(device_, precision_);
      const FusedKernels fused(config_.training.fused_kernels);
      sums = batch_loss(model_, batch, config_.training.label_smoothing);
    }
    trial.forward_bytes = std::max(trial.forward_bytes, meter->now());
    (sums.smoothed / static_cast<double>(batch.target_tokens)).backward();
    static_cast<void>(sums.plain.item<double>());  // waits for the device
    trial.peak_bytes = std::max(trial.peak_bytes, meter->most());
  }

  Transformer model_;
  const Config& config_;
  c10::Device device_;
  Precision precision_;
  std::optional<Adam> optimizer_;
  std::int64_t steps_ = 0;
  Clock::time_point start_ = Clock::now();
};

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
  TrialRun run(model, config, device);
  while (run.steps() < 2 || run.seconds() < budget.seconds) {
    const auto next = loader.next();
    if (!next) {
      loader = load(++epoch);
      continue;
    }
    if (run.steps() == 0) {
      trial.share_of_batch = affordable_share(model, *next, device, budget);
    }
    const auto rows = std::ceil(trial.share_of_batch * static_cast<double>(next->sentences));
    const auto pad = data.tokenizers.target.special_tokens().pad;
    run.step(first_rows(*next, static_cast<std::int64_t>(rows), pad).to(device), trial);
  }
  return trial;
}

}  // namespace translate
