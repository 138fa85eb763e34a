#pragma once

#include "translate/data/batch.h"
#include "translate/model/transformer.h"
#include "translate/training/loss.h"

namespace translate {

/// The loss of a batch, summed over its real labels: forward, then projection and cross entropy on the positions that
/// are no padding. The batch is on the model's device. One function for training and validation.
[[nodiscard]] LossSums batch_loss(Transformer& model, const Batch& batch, double smoothing);

}  // namespace translate
