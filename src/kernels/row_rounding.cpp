#include "translate/kernels/row_rounding.h"

#include <cmath>

#include "translate/kernels/vector_clones.h"

namespace translate {
namespace {

/// Adding and taking away 1.5 * 2^23 rounds to a whole number, as that is what such a float can hold.
constexpr float kRounder = 12582912.0F;

}  // namespace

TRANSLATE_VECTOR_CLONES
float largest_magnitude(const float* values, std::int64_t count) {
  float largest = 0.0F;
#pragma omp simd reduction(max : largest)
  for (std::int64_t i = 0; i < count; ++i) {
    const float magnitude = std::fabs(values[i]);
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

TRANSLATE_VECTOR_CLONES
void round_row(const float* values, std::int64_t count, float factor, std::int16_t* out) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::int16_t>(static_cast<std::int32_t>((values[i] * factor + kRounder) - kRounder));
  }
}

}  // namespace translate
