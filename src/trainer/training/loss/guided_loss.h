#pragma once

#include <ATen/core/Tensor.h>

#include "data/batches/bilingual_dataset.h"
#include "model/aligning_attention.h"
#include "modules/execution_context.h"
#include "modules/multi_head_attention_block.h"

namespace translate::trainer {

/// The loss of guided alignment (Chen et al. 2016; Garg et al. 2019, section 4.2; as Marian computes it), summed over
/// the links of a batch: -share * log(a + 1e-6) for each, where a is the attention of the linked label's row to the
/// linked subword of the source, after the softmax and before dropout, and share is 1 divided by the number of links of
/// that label. The labels of a target without links cost nothing. If `head` is one of inputs, the row is the next one,
/// in which the label is the decoder's input.
///
/// `input`: of the cross attention `block`, in a pass over the batch, padded or not, or over the batch twice (R-Drop),
/// of which the loss is the mean; of the first pass alone if the second one reads another segmentation, for which the
/// links do not hold. The weights of the head are computed once more from there, in single precision: the
/// kernels of attention give no weights, and one head costs little. Returns a scalar, with gradients; undefined if the
/// batch has no links or the pass left out the layer.
[[nodiscard]] at::Tensor guided_loss(const CrossAttentionInput& input, const MultiHeadAttentionBlock& block,
                                     const AligningAttention& head, const Batch& batch);

}  // namespace translate::trainer
