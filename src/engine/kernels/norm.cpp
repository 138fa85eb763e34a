#include "kernels/norm.h"

#include <cmath>

#include "kernels/exponential.h"
#include "kernels/row_kernels.h"

// Clang 16 crashes on a structured binding that a loop of OpenMP uses, so there is none in this file.

namespace translate {

namespace {

/// Whether the mean is subtracted.
bool is_centred(const RowNorm& norm) { return norm.kind != LayerNormKind::kRms; }

TRANSLATE_VECTOR_CLONES
float sum_of(const float* x, std::int64_t count) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) {
    sum += x[i];
  }
  return sum;
}

TRANSLATE_VECTOR_CLONES
float sum_of_squares(const float* x, std::int64_t count, float mean) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) {
    sum += (x[i] - mean) * (x[i] - mean);
  }
  return sum;
}

TRANSLATE_VECTOR_CLONES
void scale_row(const float* x, const RowNorm& norm, const RowMoments& moments, float* out) {
  const float* alpha = norm.alpha;
  const float* bias = norm.bias;
  const auto count = norm.width;
  const float mean = moments.mean;
  const float inverse = moments.inverse;
  if (bias == nullptr) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = alpha[i] * ((x[i] - mean) * inverse);
    }
    return;
  }
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = alpha[i] * ((x[i] - mean) * inverse) + bias[i];
  }
}

struct GradientSums {
  float plain;
  float with_x;
};

/// Returns the sums of g = gradient * alpha and of g * (x - mean), and adds to the gradient of alpha.
TRANSLATE_VECTOR_CLONES
GradientSums gradient_sums(const RowNorm& norm, const float* x, const RowMoments& moments, const float* gradient,
                           const NormSums& sums) {
  const float* alpha = norm.alpha;
  float* alpha_sums = sums.alpha;
  const auto count = norm.width;
  const float mean = moments.mean;
  const float inverse = moments.inverse;
  float plain = 0.0F;
  float with_x = 0.0F;
#pragma omp simd reduction(+ : plain, with_x)
  for (std::int64_t i = 0; i < count; ++i) {
    const float centred = x[i] - mean;
    const float g = gradient[i] * alpha[i];
    plain += g;
    with_x += g * centred;
    alpha_sums[i] += gradient[i] * (centred * inverse);
  }
  return {.plain = plain, .with_x = with_x};
}

TRANSLATE_VECTOR_CLONES
void add_input_gradient(const RowNorm& norm, const float* x, const RowMoments& moments, const float* gradient,
                        const GradientSums& sums, float curvature, float* dx) {
  const float* alpha = norm.alpha;
  const auto count = norm.width;
  const float mean = moments.mean;
  const float inverse = moments.inverse;
  const float average = is_centred(norm) ? sums.plain / static_cast<float>(count) : 0.0F;
  const float bend = curvature * sums.with_x;
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    dx[i] += inverse * (gradient[i] * alpha[i] - average) - bend * (x[i] - mean);
  }
}

}  // namespace

RowMoments normalize_row(const RowNorm& norm, const float* x, float* out) {
  const auto width = static_cast<float>(norm.width);
  RowMoments moments{.mean = is_centred(norm) ? sum_of(x, norm.width) / width : 0.0F, .inverse = 0.0F};
  const float squares = sum_of_squares(x, norm.width, moments.mean);
  moments.inverse = norm.kind == LayerNormKind::kReference ? 1.0F / (std::sqrt(squares / (width - 1.0F)) + norm.epsilon)
                                                           : 1.0F / std::sqrt(squares / width + norm.epsilon);
  scale_row(x, norm, moments, out);
  return moments;
}

void normalize_row_again(const RowNorm& norm, const float* x, const RowMoments& moments, float* out) {
  scale_row(x, norm, moments, out);
}

void normalize_row_backward(const RowNorm& norm, const float* x, const RowMoments& moments, const float* gradient,
                            float* dx, const NormSums& sums) {
  // Let S be the sum of (x - mean)^2. Then inverse is a function f of S, and d f / d x_i = 2 f'(S) (x_i - mean): the
  // curvature below is -2 f'(S).
  const auto width = static_cast<float>(norm.width);
  const float inverse = moments.inverse;
  float curvature = inverse * inverse * inverse / width;
  if (norm.kind == LayerNormKind::kReference) {
    const float deviation = 1.0F / inverse - norm.epsilon;
    curvature = deviation > 0.0F ? inverse * inverse / ((width - 1.0F) * deviation) : 0.0F;
  }
  if (norm.bias != nullptr) {
    add_row(gradient, sums.bias, norm.width);
  }
  add_input_gradient(norm, x, moments, gradient, gradient_sums(norm, x, moments, gradient, sums), curvature, dx);
}

}  // namespace translate
