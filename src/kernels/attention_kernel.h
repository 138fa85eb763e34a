#pragma once

#include <cstdint>

#include "kernels/dropout_mask.h"
#include "kernels/matrix/matrix_product.h"

namespace translate {

/// Scaled dot-product attention (paper, equation 1) of one sentence without padding, all its heads, for one thread,
/// forward and backward, with all that lies between the projections in scratch memory that fits the cache. Only where
/// has_vector_kernels() holds.
struct AttentionShape {
  std::int64_t queries;  ///< T
  std::int64_t keys;     ///< S
  std::int64_t heads;
  std::int64_t head_width;  ///< d_k; head h is columns [h * d_k, (h + 1) * d_k) of every row
  bool causal = false;      ///< query t sees keys up to t alone
};

/// What the attention reads: rows of queries (T), keys and values (S).
struct AttentionInput {
  ConstRows query;
  ConstRows key;
  ConstRows value;
};

/// Dropout on the weights: which element of the mask stands for a weight.
struct AttentionDropout {
  DropoutMask mask;
  std::int64_t first = 0;     ///< of head 0, query 0, key 0; keys follow one another
  std::int64_t to_query = 0;  ///< from a query to the next
  std::int64_t to_head = 0;   ///< from a head to the next
};

/// out (T rows) = attention, heads concatenated.
void attention_forward(const AttentionShape& shape, const AttentionInput& input, const AttentionDropout& dropout,
                       const Rows& out);

/// Gradients of the inputs, overwritten.
struct AttentionGradients {
  Rows query;
  Rows key;
  Rows value;
};

/// From the gradient of the output (T rows) those of queries, keys and values; the weights are computed anew.
void attention_backward(const AttentionShape& shape, const AttentionInput& input, const AttentionDropout& dropout,
                        const ConstRows& gradient, const AttentionGradients& gradients);

}  // namespace translate
