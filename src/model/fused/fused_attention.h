#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/attention_kernel.h"
#include "model/fused/fused_residual.h"
#include "model/modules/masks.h"
#include "model/modules/multi_head_attention_block.h"
#include "model/modules/residual_connection.h"

namespace translate {

/// What forward and backward of a fused attention sub-layer have in common. A batch is taken as rows, without padding
/// (UnpaddedSentences).

/// What one pass was run with.
struct AttentionSettings {
  ResidualSettings residual;
  DropoutMask weights;  ///< on the attention weights
  std::int64_t heads = 1;
  AttentionPattern pattern;  ///< unpadded
  bool of_self = false;      ///< keys and values come from what the queries come from
};

/// w_q, w_k, w_v, w_o: weights (d, d), then biases (d) or undefined.
struct AttentionProjections {
  std::array<at::Tensor, 4> weights;
  std::array<at::Tensor, 4> biases;
};

/// Rows of queries and of keys, [begin, end).
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

/// As many sentences together as make a good chunk of work.
[[nodiscard]] std::vector<SentenceGroup> groups_of(const AttentionPattern& pattern);

/// What forward and backward share: sizes, and where a sentence's rows lie.
struct AttentionFrame {
  AttentionSettings settings;
  std::int64_t width;      ///< d_model
  const float* query;      ///< (rows of queries, d)
  const float* key_value;  ///< (rows of keys, 2 d): keys, then values

  [[nodiscard]] AttentionShape shape(std::int64_t sentence) const;
  [[nodiscard]] AttentionInput input(std::int64_t sentence) const;
  [[nodiscard]] AttentionDropout dropout(std::int64_t sentence) const;
};

/// What the forward pass gives and the backward pass needs.
struct AttentionPass {
  at::Tensor output;     ///< (rows of queries, d)
  at::Tensor query;      ///< projected
  at::Tensor key_value;  ///< projected: (rows of keys, 2 d)
  at::Tensor joined;     ///< the heads concatenated: what w_o reads
};

/// The sub-layer forward: rows of x in `residual`, `memory` (rows of keys, d), or undefined where settings.of_self.
[[nodiscard]] AttentionPass run_attention_forward(FusedResidual& residual, const AttentionProjections& projections,
                                                  const AttentionSettings& settings, const at::Tensor& memory);

/// What the backward pass starts from.
struct AttentionBackwardInput {
  at::Tensor memory;
  at::Tensor joined;
  at::Tensor gradient;  ///< gradient of the output
};

/// Gradients of x, memory (undefined where settings.of_self), alpha, bias, the four weights and the four biases
/// (undefined where the block has none). Of `projections` the weights are needed, and whether there are biases.
[[nodiscard]] std::vector<at::Tensor> run_attention_backward(const FusedResidual& residual,
                                                             const AttentionProjections& projections,
                                                             const AttentionFrame& frame,
                                                             const AttentionBackwardInput& input);

/// residual(x, attention) in one operation, forward and backward: x (rows of the pattern's queries, d_model) -> the
/// same. The block attends to `memory` (rows of its keys, d_model), or, where that is undefined, to what it reads of x
/// itself. The pattern must be unpadded, and x in
/// single precision on a CPU that has_vector_kernels(), for bf16 products has_bf16_kernels(). `products`: what the
/// factors of the matrix products are rounded to. Draws the block's dropout masks in the order of the
/// plain operators.
[[nodiscard]] at::Tensor fused_attention(const ResidualConnectionImpl& residual, const MultiHeadAttentionBlock& block,
                                         const at::Tensor& x, const at::Tensor& memory, const AttentionPattern& pattern,
                                         FactorType products);

}  // namespace translate
