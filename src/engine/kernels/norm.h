#pragma once

#include <cstdint>

#include "config/options.h"

namespace translate {

/// The norm of a row of activations, on one thread, forward and backward.

/// A norm over rows of `width` (LayerNormKind has the formulas): alpha * (x - mean) * inverse + bias.
struct RowNorm {
  LayerNormKind kind;
  const float* alpha;
  const float* bias;  ///< null: none
  std::int64_t width;
  float epsilon;
};

/// What the backward pass needs of a normalised row.
struct RowMoments {
  float mean;
  float inverse;  ///< 1 / deviation
};

/// out = the normalised row.
RowMoments normalize_row(const RowNorm& norm, const float* x, float* out);

/// Computes the row again, from the moments that normalize_row returned.
void normalize_row_again(const RowNorm& norm, const float* x, const RowMoments& moments, float* out);

/// Sums over rows of the gradients of alpha and bias.
struct NormSums {
  float* alpha;
  float* bias;  ///< not touched by a norm without a bias
};

/// Takes the gradient of a normalised row and adds the gradient of its input to `dx`, which must not be `gradient`, and
/// those of alpha and bias to the sums. A row of equal values has no derivative under LayerNormKind::kReference: the
/// part of its deviation is left out.
void normalize_row_backward(const RowNorm& norm, const float* x, const RowMoments& moments, const float* gradient,
                            float* dx, const NormSums& sums);

}  // namespace translate
