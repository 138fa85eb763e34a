#pragma once

#include "data/batches/bilingual_dataset.h"
#include "modules/execution_context.h"
#include "modules/transformer.h"
#include "training/loss/loss.h"

namespace translate::trainer {

/// Returns the features that predict the labels of a batch, and the last layer, as batch_loss computes them.
[[nodiscard]] LossInputs loss_inputs(Transformer& model, const Batch& batch, const LossSettings& settings,
                                     const ExecutionContext& context = {});

/// Returns the loss of a batch that is on the model's device, summed over its real labels. Only positions without
/// padding are projected. With R-Drop or SimCut the sentences go through the model twice, side by side as one batch, so
/// that each pass has its own dropout; SimCut's second pass lacks some embeddings. With guided alignment and links in
/// the batch, guided_loss of the head that guided_attention names is added with its factor. `context` says in which
/// precision and by which kernels the model and the loss are computed. Training and validation share this function.
[[nodiscard]] LossSums batch_loss(Transformer& model, const Batch& batch, const LossSettings& settings,
                                  const ExecutionContext& context = {});

}  // namespace translate::trainer
