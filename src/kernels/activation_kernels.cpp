#include "translate/kernels/activation_kernels.h"

#include "translate/kernels/exponential.h"
#include "translate/kernels/vector_clones.h"

namespace translate {
namespace {

/// Phi(-x) for x >= 0, through the approximation of erfc by Hastings (Abramowitz and Stegun 1964, formula 7.1.26).
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
