#include "translate/kernels/softmax_kernel.h"

#include <cmath>
#include <limits>

#include "translate/kernels/exponential.h"
#include "translate/kernels/vector_clones.h"

namespace translate {
namespace {

struct RowStatistics {
  float maximum;
  float sum;
};

TRANSLATE_VECTOR_CLONES
RowStatistics row_statistics(const float* row, std::int64_t size) {
  float maximum = -std::numeric_limits<float>::infinity();
  float sum = 0.0F;
#pragma omp simd reduction(max : maximum) reduction(+ : sum)
  for (std::int64_t i = 0; i < size; ++i) {
    maximum = row[i] > maximum ? row[i] : maximum;
    sum += row[i];
  }
  return {.maximum = maximum, .sum = sum};
}

/// Overwrites the row with e^(value - maximum) and returns their sum.
TRANSLATE_VECTOR_CLONES
float exponentiate(float* row, std::int64_t size, float maximum) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < size; ++i) {
    const float value = exp_of_nonpositive(row[i] - maximum);
    row[i] = value;
    sum += value;
  }
  return sum;
}

TRANSLATE_VECTOR_CLONES
void scale_and_shift(float* row, std::int64_t size, float factor, float shift) {
  for (std::int64_t i = 0; i < size; ++i) {
    row[i] = row[i] * factor - shift;
  }
}

}  // namespace

RowLoss softmax_cross_entropy_row(float* row, std::int64_t size, std::int64_t label, float smoothing,
                                  bool write_gradient) {
  const auto classes = static_cast<float>(size);
  const float at_label = row[label];
  const auto [maximum, sum] = row_statistics(row, size);
  const float normaliser = exponentiate(row, size, maximum);
  const float log_normaliser = maximum + std::log(normaliser);
  if (write_gradient) {
    scale_and_shift(row, size, 1.0F / normaliser, smoothing / classes);
    row[label] -= 1.0F - smoothing;
  }
  const float plain = log_normaliser - at_label;
  return {.smoothed = (1.0F - smoothing) * plain + smoothing * (log_normaliser - sum / classes), .plain = plain};
}

}  // namespace translate
