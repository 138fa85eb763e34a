#pragma once

#include "data/batches/bilingual_dataset.h"
#include "modules/execution_context.h"
#include "modules/transformer.h"
#include "text/tokenizer.h"
#include "training/explanation/step_explanation.h"
#include "training/loss/loss.h"

namespace translate::trainer {

/// Returns the subwords of a batch and the loss at each position. The features of each position are those of the
/// training pass, dropout included; the loss of each is the definition's (loss.h), in single precision. The batch is on
/// the model's device, and the model in training mode. The origins of the pairs are left empty.
[[nodiscard]] ExplainedBatch explain_batch(Transformer& model, const Batch& batch, const TokenizerPair& tokenizers,
                                           const LossSettings& settings, const ExecutionContext& context);

/// Returns the smoothed target of a position, from the gradient of the loss.
[[nodiscard]] ExplainedTarget explain_target(const VocabularySizes& sizes, const LossSettings& settings);

/// Returns summed losses as means over `labels` labels.
[[nodiscard]] MeanLoss mean_loss(const LossSums& sums, std::int64_t labels);

/// Returns what dropout does to a training pass of the batch. It repeats the pass by LibTorch's operators, which on a
/// CPU draw the masks of the training pass; on other devices the masks are others of the same probabilities.
[[nodiscard]] DropoutReport observe_dropout(Transformer& model, const Batch& batch, const LossSettings& settings,
                                            Precision precision);

}  // namespace translate::trainer
