#include "translate/training/trial.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "translate/data/data_loader.h"
#include "translate/model/model_size.h"
#include "translate/training/trial_run.h"

namespace translate {
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

}  // namespace translate
