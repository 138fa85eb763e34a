#pragma once

#include <cstdint>

#include "translate/kernels/dropout_mask.h"
#include "translate/kernels/matrix_product.h"

namespace translate {

/// Scaled dot-product attention (paper, equation 1) of one sentence, all its heads, for one thread, forward and
/// backward, with all that lies between the projections in scratch memory that fits the cache. Only where
/// has_vector_kernels() holds.
struct AttentionShape {
  std::int64_t queries;  ///< T
  std::int64_t keys;     ///< S
  std::int64_t heads;
  std::int64_t head_width;  ///< d_k; head h is columns [h * d_k, (h + 1) * d_k) of every row
};

/// Which keys a query may look at: `keep` (T or 1 rows, of whole_panels(S) floats), 1 = may, 0 = may not or no key.
/// A query that may look nowhere gets zeros.
struct AttentionMask {
  const float* keep;
  std::int64_t row_stride;  ///< 0 where all queries share a row
};

/// What the attention reads: rows of queries (T), keys and values (S).
struct AttentionInput {
  ConstRows query;
  ConstRows key;
  ConstRows value;
};

/// Dropout on the weights; element (head, query, key) of the sentence is number `first` + its row-major index.
struct AttentionDropout {
  DropoutMask mask;
  std::int64_t first = 0;
};

/// out (T rows) = attention, heads side by side.
void attention_forward(const AttentionShape& shape, const AttentionInput& input, const AttentionMask& mask,
                       const AttentionDropout& dropout, const Rows& out);

/// Gradients of the inputs, overwritten.
struct AttentionSlopes {
  Rows query;
  Rows key;
  Rows value;
};

/// From the gradient of the output (T rows) those of queries, keys and values; the weights are computed anew.
void attention_backward(const AttentionShape& shape, const AttentionInput& input, const AttentionMask& mask,
                        const AttentionDropout& dropout, const ConstRows& slope, const AttentionSlopes& slopes);

}  // namespace translate
