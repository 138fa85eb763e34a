#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "data/batches/bilingual_dataset.h"
#include "modules/transformer.h"
#include "training/loss/loss.h"
#include "training/optimizer/optimizer.h"

namespace translate::trainer {

/// The first value of a forward pass that is NaN or +inf.
struct NonFiniteValue {
  std::string stage;      ///< the module and its stage: "encoder.layers.2.feed_forward_block.inner"; or "loss"
  std::int64_t pair = 0;  ///< the index of the pair in the corpus
};

/// Repeats the forward passes of a step sentence by sentence, by LibTorch's operators, and returns the first value that
/// is not finite: of the first sentence that has one, and there of the first stage. Returns nothing if
/// all are finite, for example because only the backward pass overflowed, or if memory does not suffice. The batches
/// are on the model's device; the model is as it was before the step. Dropout draws what it drew in the step (on a
/// CPU).
[[nodiscard]] std::optional<NonFiniteValue> find_non_finite(Transformer& model, std::span<const Batch> batches,
                                                            const LossSettings& settings, const c10::Device& device,
                                                            Precision precision);

/// The advice for a training that stops because of numbers that are not finite.
inline constexpr const char* kNonFiniteAdvice =
    "The last checkpoint is as it was. Try a lower training.learning_rate, a longer training.warmup_steps, "
    "training.clip_grad_norm = 1, or training.precision = \"fp32\"";

/// Remembers the data of the latest steps until their updates are known to be made, which a GPU reports some steps
/// later. For each step it holds the sizes of its batches and a few of their pairs.
class StepTrail {
 public:
  /// `step`: its number, from 1.
  void add(std::int64_t step, std::span<const Batch> batches);

  /// Forgets all steps so far, which went well.
  void clear() { steps_.clear(); }

  /// Describes a refused update: step, loss, gradient, sentences, and `value` if it is known. `name_pair` returns the
  /// location of the pair with an index.
  [[nodiscard]] std::string describe(const RefusedUpdate& update, const std::optional<NonFiniteValue>& value,
                                     const std::function<std::string(std::int64_t)>& name_pair) const;

 private:
  struct BatchName {
    std::size_t pairs = 0;
    std::vector<std::int64_t> first;  ///< indices of its first pairs; only a few for all batches of a step
  };
  struct Step {
    std::int64_t number = 0;
    std::vector<BatchName> batches;
  };

  std::vector<Step> steps_;
};

}  // namespace translate::trainer
