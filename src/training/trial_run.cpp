#include "translate/training/trial_run.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "translate/training/schedule.h"

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

}  // namespace translate
