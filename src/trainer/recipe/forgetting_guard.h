#pragma once

#include <functional>

#include "checkpoint/loaded_model.h"
#include "checkpoint/safetensors.h"

namespace translate::trainer {

/// Returns weights on the line from those that a fine-tuning starts from to those that it ends with: (1 - share) *
/// start + share * end, in single precision (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models"). Both
/// have the same parameters. Throws CheckpointError if they have not.
[[nodiscard]] NamedArrays interpolated_weights(const NamedArrays& start, const NamedArrays& end, double share);

/// How far a model goes from the start to the end of its fine-tuning.
struct GuardedShare {
  double share = 1.0;
  double general_bleu = 0.0;  ///< on general text, there
  double end_bleu = 0.0;      ///< the same at the end
};

/// Returns the largest share at which the BLEU of general text is at most `loss` below `start`, to a sixteenth: 1 if
/// it is so at the end of the fine-tuning, else it is searched for by bisection, as the score falls with the share.
/// `bleu_at` measures the model at a share. The start is never measured: a share of 0 has the score `start`.
[[nodiscard]] GuardedShare guarded_share(double start, double loss, const std::function<double(double share)>& bleu_at);

}  // namespace translate::trainer
