#include "translate/training/batch_fit.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "translate/core/logging.h"
#include "translate/core/memory.h"
#include "translate/data/heaviest_batch.h"
#include "translate/model/autocast.h"
#include "translate/model/evaluation_mode.h"
#include "translate/model/model_size.h"
#include "translate/model/precision.h"
#include "translate/training/batch_loss.h"
#include "translate/training/trial.h"
#include "translate/training/trial_run.h"
#include "translate/training/validator.h"

namespace translate {
namespace {

constexpr std::int64_t kLargestTrial = 8192;  // target tokens: enough to see the slope
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
    const AutocastGuard autocast(device_, resolve_precision(config_.training.precision, device_));
    const auto readable = within_positions(std::move(batch), model_->options(), model_->sizes().target_pad);
    static_cast<void>(batch_loss(model_, readable.to(device_), /*smoothing=*/0.0).plain.item<double>());
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
  double slope = (last.bytes - first.bytes) / std::max(last.weight - first.weight, 1.0);
  double fixed = first.bytes - slope * first.weight;
  if (steps.size() == 1 || slope <= 0.0 || fixed < 0.0) {
    slope = last.bytes / last.weight;
    fixed = 0.0;
  }
  return {.fixed = fixed, .per_token = slope * weight_a_token};
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
