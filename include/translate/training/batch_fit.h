#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <span>
#include <string>

#include "translate/config/options.h"
#include "translate/data/training_data.h"

namespace translate {

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
