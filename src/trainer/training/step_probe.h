#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "data/batches/bilingual_dataset.h"
#include "data/training_data.h"
#include "modules/transformer.h"
#include "training/gradient_pass.h"
#include "training/optimizer/optimizer.h"

namespace translate::trainer {

/// The cost of training steps: one, or several that were timed together.
struct StepCost {
  std::int64_t steps = 0;
  std::int64_t target_tokens = 0;   ///< in all batches
  double pass_seconds = 0.0;        ///< in all forward and backward passes
  double update_seconds = 0.0;      ///< in all updates
  std::int64_t forward_bytes = 0;   ///< the most memory that a forward pass kept for the backward pass
  std::int64_t peak_bytes = 0;      ///< the most memory that a step took in addition to weights and optimizer
  std::int64_t gradient_bytes = 0;  ///< the memory of all gradients
  double share_of_batch = 1.0;      ///< the share of each batch that was used, if a whole one would take too long
  double activations = 0.0;         ///< see step_activations

  /// Returns the time that `tokens` target tokens in `updates` steps take.
  [[nodiscard]] double seconds_for(double tokens, double updates) const;
  /// Returns the memory that a step with a whole batch takes. If only a share was measured, the activations are scaled
  /// up.
  [[nodiscard]] double bytes_per_batch() const;
};

constexpr double kProbeSeconds = 3.0;          ///< long enough for a stable speed, short enough to wait for
constexpr double kProbeMultiplyAdds = 3e11;    ///< per step on a CPU, which then takes some seconds
constexpr std::int64_t kSmallestBatch = 256;   ///< target tokens for "auto": with fewer, training hardly succeeds
constexpr std::int64_t kLargestBatch = 25000;  ///< target tokens for "auto": Vaswani et al. 2017, section 5.1
constexpr double kShareOfMemory = 0.8;         ///< for "auto": the rest is for memory that no probe measures

/// Makes training steps on temporary weights, and measures their time and memory.
class StepProbe {
 public:
  /// Moves `model` to the device; the steps change its weights. `data` and `config` must outlive the object.
  StepProbe(Transformer model, const TrainingData& data, const Config& config, const c10::Device& device);

  /// Makes a step with a batch. Throws LibTorch's exceptions, also if memory does not suffice.
  StepCost step(const Batch& batch);

  /// Makes a step with the heaviest batch of `tokens` target tokens, and computes the validation loss of the heaviest
  /// such batch. The peak memory includes both, and on a CPU also the batches that the loader holds.
  StepCost heaviest_step(std::int64_t tokens);

  /// Makes steps with batches of the first epochs until `seconds` have passed, but at least two: the first one warms up
  /// and is not timed. On a CPU only so much of each batch is used that a step takes at most `multiply_adds`.
  StepCost time_steps(double seconds = kProbeSeconds, double multiply_adds = kProbeMultiplyAdds);

 private:
  [[nodiscard]] double affordable_share(const Batch& batch, double multiply_adds) const;
  [[nodiscard]] Batch heaviest(const std::shared_ptr<const EncodedCorpus>& corpus, std::int64_t tokens) const;
  void validate(Batch batch);

  Transformer model_;
  const TrainingData& data_;
  const Config& config_;
  c10::Device device_;
  BatchLoss loss_;
  std::optional<Optimizer> optimizer_;
  std::int64_t steps_ = 0;
};

/// Estimates how many numbers a step keeps for its backward pass, with `rows` sentences of `source` and `target`
/// positions, padding included. Attention weights count, so that the number grows with the square of the lengths.
[[nodiscard]] double step_activations(const ModelOptions& model, double rows, double source, double target);

/// A batch size, with the measurements behind it.
struct BatchSize {
  std::int64_t tokens = 0;
  double step_bytes = 0.0;  ///< the memory that a step is expected to take in addition to weights and optimizer
  double available = 0.0;   ///< the memory available, in bytes

  /// Returns a sentence for the log.
  [[nodiscard]] std::string describe(const c10::Device& device) const;
};

/// Returns the largest batch whose step stays within kShareOfMemory of `available` bytes, between kSmallestBatch and
/// kLargestBatch. `steps` are one or two measured steps, the smaller one first. Two steps give a line: memory = fixed
/// part + part in proportion to the activations, for batches with as many activations per token as the denser of the
/// two. A single step, or two whose memory does not grow, give a proportion without a fixed part.
[[nodiscard]] BatchSize choose_batch_size(std::span<const StepCost> steps, double available);

/// Makes a step with a batch of so many target tokens, and measures it.
using TrialStep = std::function<StepCost(std::int64_t tokens)>;

/// Adds trial steps to `steps`, from small batches up to `largest` target tokens. A step follows only if the one before
/// it shows that it stays within kShareOfMemory of `available` bytes: a system that gives more memory than it has would
/// end the process.
void try_steps(const TrialStep& trial, std::int64_t largest, double available, std::vector<StepCost>& steps);

/// Makes a few steps on temporary weights with the heaviest batches of small sizes, and chooses from their memory.
/// Draws random numbers from LibTorch's default generators, which each step of a training seeds anew, and changes
/// nothing else.
[[nodiscard]] BatchSize measure_batch_size(const TrainingData& data, const Config& config, const c10::Device& device);

/// Returns the configuration with a number for training.batch_tokens: its own, or, if that is "auto", a measured one,
/// which is logged.
[[nodiscard]] Config with_batch_size(Config config, const TrainingData& data, const c10::Device& device);

}  // namespace translate::trainer
