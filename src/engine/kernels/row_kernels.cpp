#include "kernels/row_kernels.h"

#include <cmath>

#include "kernels/exponential.h"

namespace translate {

namespace {

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
void scale_row(const float* x, const RowNormalization& norm, const RowMoments& moments, float* out) {
  const float* alpha = norm.alpha;
  const float* bias = norm.bias;
  const auto count = norm.width;
  const auto [mean, inverse] = moments;
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = alpha[i] * ((x[i] - mean) * inverse) + bias[i];
  }
}

struct GradientSums {
  float plain;
  float with_x;
};

/// Returns the sums of g = gradient * alpha and of g * (x - mean), and adds to the gradients of alpha and bias.
TRANSLATE_VECTOR_CLONES
GradientSums gradient_sums(const RowNormalization& norm, const float* x, const RowMoments& moments,
                           const float* gradient, const NormalizationSums& sums) {
  const float* alpha = norm.alpha;
  float* alpha_sums = sums.alpha;
  float* bias_sums = sums.bias;
  const auto count = norm.width;
  const auto [mean, inverse] = moments;
  float plain = 0.0F;
  float with_x = 0.0F;
#pragma omp simd reduction(+ : plain, with_x)
  for (std::int64_t i = 0; i < count; ++i) {
    const float centred = x[i] - mean;
    const float g = gradient[i] * alpha[i];
    plain += g;
    with_x += g * centred;
    alpha_sums[i] += gradient[i] * (centred * inverse);
    bias_sums[i] += gradient[i];
  }
  return {.plain = plain, .with_x = with_x};
}

TRANSLATE_VECTOR_CLONES
void add_input_gradient(const RowNormalization& norm, const float* x, const RowMoments& moments, const float* gradient,
                        const GradientSums& sums, float curvature, float* dx) {
  const float* alpha = norm.alpha;
  const auto count = norm.width;
  const auto [mean, inverse] = moments;
  const float average = sums.plain / static_cast<float>(count);
  const float bend = curvature * sums.with_x;
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    dx[i] += inverse * (gradient[i] * alpha[i] - average) - bend * (x[i] - mean);
  }
}

}  // namespace

RowMoments normalize_row(const RowNormalization& norm, const float* x, float* out) {
  const auto width = static_cast<float>(norm.width);
  RowMoments moments{.mean = sum_of(x, norm.width) / width, .inverse = 0.0F};
  const float squares = sum_of_squares(x, norm.width, moments.mean);
  moments.inverse = norm.of_reference ? 1.0F / (std::sqrt(squares / (width - 1.0F)) + norm.epsilon)
                                      : 1.0F / std::sqrt(squares / width + norm.epsilon);
  scale_row(x, norm, moments, out);
  return moments;
}

void normalize_row_again(const RowNormalization& norm, const float* x, const RowMoments& moments, float* out) {
  scale_row(x, norm, moments, out);
}

void normalize_row_backward(const RowNormalization& norm, const float* x, const RowMoments& moments,
                            const float* gradient, float* dx, const NormalizationSums& sums) {
  // Let S be the sum of (x - mean)^2. Then inverse is a function f of S, and d f / d x_i = 2 f'(S) (x_i - mean): the
  // curvature below is -2 f'(S).
  const auto width = static_cast<float>(norm.width);
  const float inverse = moments.inverse;
  float curvature = inverse * inverse * inverse / width;
  if (norm.of_reference) {
    const float deviation = 1.0F / inverse - norm.epsilon;
    curvature = deviation > 0.0F ? inverse * inverse / ((width - 1.0F) * deviation) : 0.0F;
  }
  add_input_gradient(norm, x, moments, gradient, gradient_sums(norm, x, moments, gradient, sums), curvature, dx);
}

TRANSLATE_VECTOR_CLONES
void rectify(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] = values[i] > 0.0F ? values[i] : 0.0F;
  }
}

TRANSLATE_VECTOR_CLONES
void rectify_backward(const float* values, float factor, float* gradients, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const float through = gradients[i] * factor;
    gradients[i] = values[i] > 0.0F ? through : 0.0F;
  }
}

TRANSLATE_VECTOR_CLONES
void add_row(const float* from, float* to, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] += from[i];
  }
}

TRANSLATE_VECTOR_CLONES
void add_column_sums(const ConstRows& x, std::int64_t rows, std::int64_t columns, float* sums) {
  // Four rows at a time: the sums are read and written once for them.
  const auto [values, stride] = x;
  std::int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const float* first = values + row * stride;
    const float* second = first + stride;
    const float* third = second + stride;
    const float* fourth = third + stride;
#pragma omp simd
    for (std::int64_t i = 0; i < columns; ++i) {
      sums[i] = sums[i] + first[i] + second[i] + third[i] + fourth[i];
    }
  }
  for (; row < rows; ++row) {
    add_row(values + row * stride, sums, columns);
  }
}

namespace {

/// Phi(-x) for x >= 0, by Hastings' approximation of erfc (Abramowitz and Stegun 1964, formula 7.1.26).
inline float upper_tail(float x) {
  const float z = x * 0.70710678F;
  const float t = 1.0F / (1.0F + 0.3275911F * z);
  float polynomial = 1.061405429F;
  polynomial = polynomial * t - 1.453152027F;
  polynomial = polynomial * t + 1.421413741F;
  polynomial = polynomial * t - 0.284496736F;
  polynomial = polynomial * t + 0.254829592F;
  return 0.5F * polynomial * t * exp_of_nonpositive(-z * z);
}

}  // namespace

TRANSLATE_VECTOR_CLONES
void apply_gelu(float* values, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = values[i];
    const float tail = upper_tail(x < 0.0F ? -x : x);
    values[i] = x * (x < 0.0F ? tail : 1.0F - tail);
  }
}

TRANSLATE_VECTOR_CLONES
void apply_silu(float* values, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = values[i];
    const float e = exp_of_nonpositive(x < 0.0F ? x : -x);
    values[i] = x * ((x < 0.0F ? e : 1.0F) / (1.0F + e));
  }
}

}  // namespace translate
