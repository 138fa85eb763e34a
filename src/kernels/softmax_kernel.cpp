#include "translate/kernels/softmax_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "translate/kernels/exponential.h"
#include "translate/kernels/vector_clones.h"

namespace translate {
namespace {

constexpr std::int64_t kLanes = 16;  // partial sums side by side: one AVX-512 register, two of AVX2

struct RowStatistics {
  float maximum;
  float sum;
};

template <typename Lanes>
float total(const Lanes& lanes) {
  float sum = 0.0F;
  for (const float lane : lanes) {
    sum += lane;
  }
  return sum;
}

TRANSLATE_VECTOR_CLONES
RowStatistics row_statistics(const float* row, std::int64_t size) {
  std::array<float, kLanes> maxima;
  std::array<float, kLanes> sums{};
  maxima.fill(-std::numeric_limits<float>::infinity());
  const std::int64_t whole = size - size % kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float value = row[i + lane];
      const auto slot = static_cast<std::size_t>(lane);
      maxima[slot] = value > maxima[slot] ? value : maxima[slot];
      sums[slot] += value;
    }
  }
  for (std::int64_t i = whole; i < size; ++i) {
    maxima[0] = std::max(maxima[0], row[i]);
    sums[0] += row[i];
  }
  return {.maximum = *std::max_element(maxima.begin(), maxima.end()), .sum = total(sums)};
}

/// Overwrites the row with e^(value - maximum) and returns their sum.
TRANSLATE_VECTOR_CLONES
float exponentiate(float* row, std::int64_t size, float maximum) {
  std::array<float, kLanes> sums{};
  const std::int64_t whole = size - size % kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float value = exp_of_nonpositive(row[i + lane] - maximum);
      row[i + lane] = value;
      sums[static_cast<std::size_t>(lane)] += value;
    }
  }
  for (std::int64_t i = whole; i < size; ++i) {
    row[i] = exp_of_nonpositive(row[i] - maximum);
    sums[0] += row[i];
  }
  return total(sums);
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
