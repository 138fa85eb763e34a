#pragma once

#include "data/batches/bilingual_dataset.h"
#include "model/modules/transformer.h"
#include "training/loss/loss.h"
#include "training/loss/r_drop.h"

namespace translate {

/// The loss of a batch, summed over its real labels: forward, then projection and cross entropy on the positions that
/// are no padding. The batch is on the model's device. One function for training and validation.
[[nodiscard]] LossSums batch_loss(Transformer& model, const Batch& batch, double smoothing,
                                  const ExecutionContext& context = {});

/// The R-Drop loss of a batch, likewise, for training alone: its sentences go through the model twice, side by side as
/// one batch, each with dropout of its own.
[[nodiscard]] LossSums r_drop_batch_loss(Transformer& model, const Batch& batch, const RDropSettings& settings,
                                         const ExecutionContext& context = {});

}  // namespace translate
