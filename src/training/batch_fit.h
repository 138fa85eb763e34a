#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "config/options.h"
#include "data/batches/bilingual_dataset.h"
#include "data/training_data.h"
#include "model/modules/transformer.h"
#include "training/gradient_pass.h"
#include "training/optimizer/optimizer.h"

namespace translate {

/// What one training step cost.
struct StepCost {
  double pass_seconds = 0.0;       ///< of forward and backward
  double update_seconds = 0.0;     ///< of the update
  std::int64_t forward_bytes = 0;  ///< memory that the forward pass kept for the backward one
  std::int64_t peak_bytes = 0;     ///< most memory that both took: activations and gradients
};

/// Training steps on a model that is thrown away afterwards, timed and measured.
class TrialRun {
 public:
  /// `config` must outlive the object. Moves `model` to the device and spoils it.
  TrialRun(Transformer model, const Config& config, const c10::Device& device);

  /// A step with a batch that is on the device. Throws what LibTorch throws, where memory does not suffice too.
  StepCost step(const Batch& batch);

  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  const Config& config_;
  BatchLoss loss_;
  std::optional<Optimizer> optimizer_;
  std::int64_t steps_ = 0;
};

/// What a few training steps on real batches cost, before any training.
struct Trial {
  std::int64_t target_tokens = 0;   ///< in the batches timed
  std::int64_t updates = 0;         ///< timed
  double pass_seconds = 0.0;        ///< of forward and backward over these batches
  double update_seconds = 0.0;      ///< of these updates
  std::int64_t forward_bytes = 0;   ///< most memory a forward pass kept for the backward one
  std::int64_t peak_bytes = 0;      ///< most memory both took: activations and gradients
  std::int64_t gradient_bytes = 0;  ///< of all gradients
  double share_of_batch = 1.0;      ///< the part of each batch that was used; less than 1 where a whole is too slow

  /// For `tokens` target tokens in `steps` updates.
  [[nodiscard]] double seconds_for(double tokens, double steps) const {
    return tokens * pass_seconds / static_cast<double>(target_tokens) +
           steps * update_seconds / static_cast<double>(updates);
  }
  /// Of a whole batch: as measured, or where only a part was tried what that kept, scaled up, and all gradients.
  [[nodiscard]] double bytes_per_batch() const {
    return share_of_batch == 1.0
               ? static_cast<double>(peak_bytes)
               : static_cast<double>(forward_bytes) / share_of_batch + static_cast<double>(gradient_bytes);
  }
};

/// How much a trial may cost: long enough for a figure, short enough to wait for.
struct TrialBudget {
  double seconds = 3.0;         ///< new steps begin until then; two at least are made
  double multiply_adds = 3e11;  ///< of a step on a processor: some seconds; larger batches are tried in part
};

/// Trains `model`, which is spoilt by it, on batches of the first epoch; the first step is not timed.
[[nodiscard]] Trial run_trial(Transformer model, const TrainingData& data, const Config& config,
                              const c10::Device& device, const TrialBudget& budget = {});

/// A training step that was tried.
struct TriedStep {
  double target_tokens = 0.0;  ///< of its batch
  double weight = 0.0;         ///< what its memory is in proportion to, but for a fixed part: see step_weight
  double bytes = 0.0;          ///< the most that it took besides weights and optimizer
};

/// Memory of a step as a function of its target tokens: fixed + per_token * tokens.
struct StepMemory {
  double fixed = 0.0;
  double per_token = 0.0;

  [[nodiscard]] double bytes_for(double tokens) const { return fixed + per_token * tokens; }
};

/// Numbers that a step keeps for its backward pass, about: `rows` sentences of `source` and `target` positions, padding
/// counted. Attention weights count, which grow with the square of the lengths.
[[nodiscard]] double step_weight(const ModelOptions& model, double rows, double source, double target);

/// The line through one or two tried steps, from small to large, for batches as heavy a token as the heavier of them.
/// One step alone, or two whose memory does not grow, are taken in proportion.
[[nodiscard]] StepMemory fit_step_memory(std::span<const TriedStep> steps);

/// How large batches are to be, and from what that follows.
struct BatchSize {
  std::int64_t tokens = 0;
  double step_bytes = 0.0;  ///< what a step is then expected to take besides weights and optimizer
  double at_hand = 0.0;     ///< bytes that it could take

  /// For the log.
  [[nodiscard]] std::string describe(const c10::Device& device) const;
};

constexpr std::int64_t kSmallestAutoBatch = 256;   ///< target tokens; less would hardly train
constexpr std::int64_t kLargestAutoBatch = 25000;  ///< Vaswani et al. 2017, section 5.1
constexpr double kShareOfMemory = 0.8;             ///< the rest is for what no trial sees

/// The largest batches whose steps keep to kShareOfMemory of `at_hand` bytes, within the limits above.
[[nodiscard]] BatchSize choose_batch_size(const StepMemory& memory, double at_hand);

/// Tries a few steps on weights that are thrown away, with the heaviest batches of small sizes, validation's loss
/// included, and chooses. Draws random numbers; changes nothing else.
[[nodiscard]] BatchSize measure_batch_size(const TrainingData& data, const Config& config, const c10::Device& device);

/// The configuration with a number for training.batch_tokens: its own, or where that is "auto" a measured one, which
/// the log tells.
[[nodiscard]] Config with_batch_size(Config config, const TrainingData& data, const c10::Device& device);

}  // namespace translate
