#include "translate/training/trial.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>

#include "translate/data/data_loader.h"
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

  /// The most that was held beyond what was there at the start.
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

/// The share of a batch whose step takes a second or so on a processor: nobody waits minutes for a check.
double affordable_share(const Transformer& model, const Batch& batch, const c10::Device& device) {
  if (!device.is_cpu()) {
    return 1.0;
  }
  constexpr double kMultiplyAdds = 6e10;  // of a step: forward and backward
  const auto cost =
      multiply_adds(model->options(), model->sizes().target, static_cast<double>(batch.encoder_input.size(1)),
                    static_cast<double>(batch.label.size(1)));
  const auto positions = [](const at::Tensor& ids) { return static_cast<double>(ids.numel()); };
  const auto step =
      3.0 * (cost.source_token * positions(batch.encoder_input) + cost.target_token * positions(batch.label));
  return std::min(1.0, kMultiplyAdds / step);
}

}  // namespace

Trial run_trial(Transformer model, const TrainingData& data, const Config& config, const c10::Device& device,
                double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto precision = resolve_precision(config.training.precision, device);
  model->to(device);
  model->train();
  Adam optimizer(unique_parameters(model), config.training.optimizer);
  const auto load = [&](std::uint64_t epoch) {
    return EpochLoader(data.train, data.tokenizers, training_loader_options(config), epoch);
  };
  std::uint64_t epoch = 0;
  auto loader = load(epoch);
  Trial trial;
  std::int64_t steps = 0;
  const auto start = Clock::now();
  while (steps < 2 || since(start) < seconds) {
    const auto next = loader.next();
    if (!next) {
      loader = load(++epoch);
      continue;
    }
    if (steps == 0) {
      trial.share_of_batch = affordable_share(model, *next, device);
    }
    const auto rows = std::ceil(trial.share_of_batch * static_cast<double>(next->sentences));
    const auto batch =
        first_rows(*next, static_cast<std::int64_t>(rows), data.tokenizers.target.special_tokens().pad).to(device);
    const auto step_start = Clock::now();
    {
      const auto meter = std::make_shared<MemoryMeter>();
      const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
      LossSums sums;
      {
        const AutocastGuard autocast(device, precision);
        sums = batch_loss(model, batch, config.training.label_smoothing);
      }
      (sums.smoothed / static_cast<double>(batch.target_tokens)).backward();
      static_cast<void>(sums.plain.item<double>());  // waits for the device
      trial.bytes = std::max(trial.bytes, meter->most());
    }
    optimizer.step(learning_rate_at(config.training, config.model.d_model, ++steps));
    optimizer.clear_gradients();
    if (steps > 1) {
      trial.seconds += since(step_start);
      trial.target_tokens += batch.target_tokens;
    }
  }
  return trial;
}

}  // namespace translate
