#pragma once

#include <cstdint>

#include "kernels/matrix/matrix_product.h"

namespace translate {

/// Operations on rows of activations, on one thread.

/// The settings of layer normalisation (Ba et al. 2016) over rows of `width`: alpha * (x - mean) * inverse + bias,
/// where inverse is 1 / sqrt(biased variance + epsilon) or, if `of_reference`, 1 / (unbiased standard deviation +
/// epsilon).
struct RowNormalization {
  const float* alpha;
  const float* bias;
  std::int64_t width;
  float epsilon;
  bool of_reference;
};

/// The moments of a normalised row, which the backward pass needs.
struct RowMoments {
  float mean;
  float inverse;
};

/// out = the normalised row.
RowMoments normalize_row(const RowNormalization& norm, const float* x, float* out);

/// Computes the row again, from the moments that normalize_row returned.
void normalize_row_again(const RowNormalization& norm, const float* x, const RowMoments& moments, float* out);

/// Sums over rows of the gradients of alpha and bias.
struct NormalizationSums {
  float* alpha;
  float* bias;
};

/// Takes the gradient of a normalised row and adds the gradient of its input to `dx`, which must not be `gradient`, and
/// those of alpha and bias to the sums. A row of equal values has no derivative under `of_reference`: the part of its
/// deviation is left out.
void normalize_row_backward(const RowNormalization& norm, const float* x, const RowMoments& moments,
                            const float* gradient, float* dx, const NormalizationSums& sums);

/// values = max(values, 0).
void rectify(float* values, std::int64_t count);

/// gradients *= values > 0 ? factor : 0.
void rectify_backward(const float* values, float factor, float* gradients, std::int64_t count);

/// to += from.
void add_row(const float* from, float* to, std::int64_t count);

/// sums[j] += the sum over `rows` rows of x[., j].
void add_column_sums(const ConstRows& x, std::int64_t rows, std::int64_t columns, float* sums);

/// values = x Phi(x), where Phi is the normal distribution function (GELU: Hendrycks and Gimpel 2016, the exact form),
/// with an error of at most 3e-7 |x|. Runs on one thread.
void apply_gelu(float* values, std::int64_t count);

/// values = x / (1 + e^-x) (SiLU, also called swish: Elfwing et al. 2017), with an error of at most 3e-7 |x|. Runs on
/// one thread.
void apply_silu(float* values, std::int64_t count);

}  // namespace translate
