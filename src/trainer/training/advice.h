#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "data/training_data.h"

namespace translate::trainer {

/// What is known of a training before its first step.
struct TrainingFacts {
  double steps = 0.0;  ///< until the first limit; 0: not known, because a limit of epochs or of time decides
  double steps_per_epoch = 0.0;
  double seconds = 0.0;               ///< until the first limit, at the measured speed; 0: not measured
  std::uint64_t pairs = 0;            ///< to train on
  std::int64_t vocabulary = 0;        ///< subwords of the source, or of the target if it has more
  std::int64_t layer_parameters = 0;  ///< weights but those of the embeddings and the projection
  bool is_fine_tuning = false;        ///< goes on from a model, so that nobody chooses its sizes
  bool validates = false;             ///< there is something to validate on
  bool is_fp32 = false;               ///< computes in fp32 on a processor that multiplies bf16
};

/// Returns the facts that do not depend on the speed. `steps` is training.max_steps; `is_fine_tuning` as above.
[[nodiscard]] TrainingFacts facts_of(const Config& config, const TrainingData& data, const c10::Device& device,
                                     bool is_fine_tuning);

/// What somebody who has trained many models would say of a training.
struct Advice {
  bool is_warning = false;  ///< the training is likely to fail its purpose; otherwise the advice is a hint
  std::string text;         ///< with the key, and a value to set
};

/// Looks at a configuration and what is known of its training: a warm-up that takes more than half of the steps, a
/// first validation after their end or more than half an hour apart, days of training, a model or a vocabulary that is
/// too large for the pairs, both sides in one file, fp32 where bf16 is faster, nothing to validate or to test on.
/// Warnings come first.
[[nodiscard]] std::vector<Advice> advise(const Config& config, const TrainingFacts& facts);

/// Logs warnings as such, and hints as information.
void log_advice(const std::vector<Advice>& advice);

/// Returns the number of subwords that suits a text of so many pairs: at least 1,000, and rising with the root of the
/// pairs, because the number of words does: 3,000 at 3,000 pairs, 9,500 at 29,000.
[[nodiscard]] double suitable_vocabulary(std::uint64_t pairs);

}  // namespace translate::trainer
