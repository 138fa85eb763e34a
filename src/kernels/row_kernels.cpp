#include "translate/kernels/row_kernels.h"

#include <cmath>

#include "translate/kernels/vector_clones.h"

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

struct SlopeSums {
  float plain;
  float with_x;
};

/// Sums of g = slope * alpha and of g * (x - mean); the gradients of alpha and bias on the way.
TRANSLATE_VECTOR_CLONES
SlopeSums slope_sums(const RowNormalization& norm, const float* x, const RowMoments& moments, const float* slope,
                     const NormalizationSums& sums) {
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
    const float g = slope[i] * alpha[i];
    plain += g;
    with_x += g * centred;
    alpha_sums[i] += slope[i] * (centred * inverse);
    bias_sums[i] += slope[i];
  }
  return {.plain = plain, .with_x = with_x};
}

TRANSLATE_VECTOR_CLONES
void add_input_slope(const RowNormalization& norm, const float* x, const RowMoments& moments, const float* slope,
                     const SlopeSums& sums, float curvature, float* dx) {
  const float* alpha = norm.alpha;
  const auto count = norm.width;
  const auto [mean, inverse] = moments;
  const float average = sums.plain / static_cast<float>(count);
  const float bend = curvature * sums.with_x;
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    dx[i] += inverse * (slope[i] * alpha[i] - average) - bend * (x[i] - mean);
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

void normalize_row_backward(const RowNormalization& norm, const float* x, const RowMoments& moments, const float* slope,
                            float* dx, const NormalizationSums& sums) {
  // With S the sum of (x - mean)^2, inverse is a function f of S, and d f / d x_i = 2 f'(S) (x_i - mean):
  // the curvature below is -2 f'(S).
  const auto width = static_cast<float>(norm.width);
  const float inverse = moments.inverse;
  float curvature = inverse * inverse * inverse / width;
  if (norm.of_reference) {
    const float deviation = 1.0F / inverse - norm.epsilon;
    curvature = deviation > 0.0F ? inverse * inverse / ((width - 1.0F) * deviation) : 0.0F;
  }
  add_input_slope(norm, x, moments, slope, slope_sums(norm, x, moments, slope, sums), curvature, dx);
}

TRANSLATE_VECTOR_CLONES
void rectify(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] = values[i] > 0.0F ? values[i] : 0.0F;
  }
}

TRANSLATE_VECTOR_CLONES
void rectify_backward(const float* values, float factor, float* slopes, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const float through = slopes[i] * factor;
    slopes[i] = values[i] > 0.0F ? through : 0.0F;
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

}  // namespace translate
