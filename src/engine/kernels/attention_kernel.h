#pragma once

#include <cstdint>

#include "kernels/dropout_mask.h"
#include "kernels/matrix/matrix_product.h"

namespace translate {

/// Scaled dot-product attention (paper, equation 1) of one unpadded sentence, with all its heads, on one thread,
/// forward and backward. All values between the projections lie in scratch memory that fits the cache.
struct AttentionShape {
  std::int64_t queries;  ///< T
  std::int64_t keys;     ///< S
  std::int64_t heads;
  std::int64_t head_width;  ///< d_k; head h is columns [h * d_k, (h + 1) * d_k) of every row
  bool causal = false;      ///< query t attends only to keys up to t
};

/// The inputs of attention: rows of queries (T), keys and values (S).
struct AttentionInput {
  ConstRows query;
  ConstRows key;
  ConstRows value;
};

/// Dropout on the weights, and the element of the mask for each weight.
struct AttentionDropout {
  DropoutMask mask;
  std::int64_t first = 0;     ///< element for head 0, query 0, key 0; the elements of the keys are consecutive
  std::int64_t to_query = 0;  ///< distance from a query to the next
  std::int64_t to_head = 0;   ///< distance from a head to the next
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

/// Computes the gradients of queries, keys and values from the gradient of the output (T rows). Recomputes the weights.
void attention_backward(const AttentionShape& shape, const AttentionInput& input, const AttentionDropout& dropout,
                        const ConstRows& gradient, const AttentionGradients& gradients);

}  // namespace translate
