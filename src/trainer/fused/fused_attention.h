#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "fused/fused_residual.h"
#include "kernels/attention_kernel.h"
#include "modules/masks.h"
#include "modules/multi_head_attention_block.h"
#include "modules/residual_connection.h"

namespace translate::trainer {

/// The forward and the backward pass of a fused attention sub-layer. Both take a batch as unpadded rows
/// (UnpaddedLayout).

/// The settings of one pass.
struct AttentionSettings {
  ResidualSettings residual;
  DropoutMask weights;  ///< on the attention weights
  std::int64_t heads = 1;
  AttentionPattern pattern;  ///< unpadded
  bool of_self = false;      ///< keys and values come from the same rows as the queries
};

/// w_q, w_k, w_v, w_o: weights (d, d), then biases (d) or undefined.
struct AttentionProjections {
  std::array<at::Tensor, 4> weights;
  std::array<at::Tensor, 4> biases;
};

/// The rows of queries and of keys, [begin, end).
struct RowRange {
  std::int64_t begin;
  std::int64_t end;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};

/// Sentences [begin, end) of a batch, which one thread takes through the sub-layer together, and their rows.
struct SentenceGroup {
  std::int64_t begin;
  std::int64_t end;
  RowRange queries;
  RowRange keys;
};

/// Divides a batch into groups of sentences, each a good chunk of work.
[[nodiscard]] std::vector<SentenceGroup> groups_of(const AttentionPattern& pattern);

/// The sizes that both passes use, and the places of the rows of a sentence.
struct AttentionFrame {
  AttentionSettings settings;
  std::int64_t width;      ///< d_model
  const float* query;      ///< (rows of queries, d)
  const float* key_value;  ///< (rows of keys, 2 d): keys, then values

  [[nodiscard]] AttentionShape shape(std::int64_t sentence) const;
  [[nodiscard]] AttentionInput input(std::int64_t sentence) const;
  [[nodiscard]] AttentionDropout dropout(std::int64_t sentence) const;
};

/// The result of the forward pass, with the values that the backward pass needs.
struct AttentionPass {
  at::Tensor output;     ///< (rows of queries, d)
  at::Tensor query;      ///< projected
  at::Tensor key_value;  ///< projected: (rows of keys, 2 d)
  at::Tensor joined;     ///< the concatenated heads: the input of w_o
};

/// Runs the sub-layer forward on the rows of x in `residual`. `memory`: (rows of keys, d), undefined if
/// settings.of_self.
[[nodiscard]] AttentionPass run_attention_forward(FusedResidual& residual, const AttentionProjections& projections,
                                                  const AttentionSettings& settings, const at::Tensor& memory);

/// The input of the backward pass.
struct AttentionBackwardInput {
  at::Tensor memory;
  at::Tensor joined;
  at::Tensor gradient;  ///< gradient of the output
};

/// Returns the gradients of x, memory (undefined if settings.of_self), alpha, bias, the four weights and the four
/// biases (undefined if the block has none). Of the biases in `projections` it reads only whether they exist.
[[nodiscard]] std::vector<at::Tensor> run_attention_backward(const FusedResidual& residual,
                                                             const AttentionProjections& projections,
                                                             const AttentionFrame& frame,
                                                             const AttentionBackwardInput& input);

/// residual(x, attention) in one operation, forward and backward: x (rows of the pattern's queries, d_model) -> the
/// same shape. The block attends to `memory` (rows of its keys, d_model), or, if that is undefined, to its own input.
/// The pattern must be unpadded, and x in single precision on a CPU. `factor_type`: the type to which the factors of
/// the matrix products are rounded. Draws the block's dropout masks in the same order as the plain operators.
[[nodiscard]] at::Tensor fused_attention(const ResidualConnectionImpl& residual, const MultiHeadAttentionBlock& block,
                                         const at::Tensor& x, const at::Tensor& memory, const AttentionPattern& pattern,
                                         FactorType factor_type);

}  // namespace translate::trainer
