#include "kernels/activation.h"

#include "kernels/exponential.h"

namespace translate {

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

TRANSLATE_VECTOR_CLONES
void rectify(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] = values[i] > 0.0F ? values[i] : 0.0F;
  }
}

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

TRANSLATE_VECTOR_CLONES
void rectify_gradients(const float* inputs, float* gradients, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    gradients[i] = inputs[i] > 0.0F ? gradients[i] : 0.0F;
  }
}

/// The derivative of x Phi(x): Phi(x) + x phi(x), with the normal density phi(x) = e^(-x^2 / 2) / sqrt(2 pi).
TRANSLATE_VECTOR_CLONES
void multiply_by_gelu_slope(const float* inputs, float* gradients, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = inputs[i];
    const float tail = upper_tail(x < 0.0F ? -x : x);
    const float density = 0.39894228F * exp_of_nonpositive(-0.5F * x * x);
    gradients[i] *= (x < 0.0F ? tail : 1.0F - tail) + x * density;
  }
}

/// The derivative of x s(x): s(x) (1 + x (1 - s(x))), with the logistic function s(x) = 1 / (1 + e^-x).
TRANSLATE_VECTOR_CLONES
void multiply_by_silu_slope(const float* inputs, float* gradients, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = inputs[i];
    const float e = exp_of_nonpositive(x < 0.0F ? x : -x);
    const float logistic = (x < 0.0F ? e : 1.0F) / (1.0F + e);
    gradients[i] *= logistic * (1.0F + x * (1.0F - logistic));
  }
}

}  // namespace

void activate(Activation activation, float* values, std::int64_t count) {
  switch (activation) {
    case Activation::kRelu:
      return rectify(values, count);
    case Activation::kGelu:
      return apply_gelu(values, count);
    case Activation::kSwish:
      return apply_silu(values, count);
  }
}

void activate_backward(Activation activation, const float* inputs, float* gradients, std::int64_t count) {
  switch (activation) {
    case Activation::kRelu:
      return rectify_gradients(inputs, gradients, count);
    case Activation::kGelu:
      return multiply_by_gelu_slope(inputs, gradients, count);
    case Activation::kSwish:
      return multiply_by_silu_slope(inputs, gradients, count);
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

}  // namespace translate
