#include "translate/kernels/pair_loss_kernel.h"

#include <cmath>
#include <limits>

#include "translate/kernels/exponential.h"
#include "translate/kernels/vector_clones.h"

namespace translate {
namespace {

/// Of a pair of rows, first and second.
struct Two {
  float first;
  float second;
};

struct PairStatistics {
  Two maximum;
  float sum;  ///< over both rows
};

TRANSLATE_VECTOR_CLONES
PairStatistics pair_statistics(const float* first, const float* second, std::int64_t size) {
  float highest = -std::numeric_limits<float>::infinity();
  float other_highest = highest;
  float sum = 0.0F;
#pragma omp simd reduction(max : highest, other_highest) reduction(+ : sum)
  for (std::int64_t i = 0; i < size; ++i) {
    highest = first[i] > highest ? first[i] : highest;
    other_highest = second[i] > other_highest ? second[i] : other_highest;
    sum += first[i] + second[i];
  }
  return {.maximum = {highest, other_highest}, .sum = sum};
}

struct PairSums {
  Two normaliser;  ///< sum of exponentials
  Two difference;  ///< sum of exponential times difference of the logits
};

TRANSLATE_VECTOR_CLONES
PairSums pair_sums(const float* first, const float* second, std::int64_t size, Two maximum) {
  float sum = 0.0F;
  float other_sum = 0.0F;
  float weighted = 0.0F;
  float other_weighted = 0.0F;
#pragma omp simd reduction(+ : sum, other_sum, weighted, other_weighted)
  for (std::int64_t i = 0; i < size; ++i) {
    const float p = exp_of_nonpositive(first[i] - maximum.first);
    const float q = exp_of_nonpositive(second[i] - maximum.second);
    const float difference = first[i] - second[i];
    sum += p;
    other_sum += q;
    weighted += p * difference;
    other_weighted += q * difference;
  }
  return {.normaliser = {sum, other_sum}, .difference = {weighted, other_weighted}};
}

/// What a gradient is made with, but for what stands at the label.
struct GradientTerms {
  Two log_normaliser;
  Two divergence;  ///< KL(p, q), KL(q, p)
  float weight;    ///< half the divergence's
  float everywhere;
};

TRANSLATE_VECTOR_CLONES
void write_gradients(float* first, float* second, std::int64_t size, GradientTerms terms) {
  const float offset = terms.log_normaliser.first - terms.log_normaliser.second;
  for (std::int64_t i = 0; i < size; ++i) {
    const float p = exp_of_nonpositive(first[i] - terms.log_normaliser.first);
    const float q = exp_of_nonpositive(second[i] - terms.log_normaliser.second);
    const float d = first[i] - second[i] - offset;
    const float both = p - q;
    first[i] = 0.5F * p + terms.weight * (p * (d - terms.divergence.first) + both) - terms.everywhere;
    second[i] = 0.5F * q - terms.weight * (q * (d + terms.divergence.second) + both) - terms.everywhere;
  }
}

}  // namespace

PairLoss pair_loss_rows(float* first, float* second, std::int64_t size, std::int64_t label,
                        const PairLossSettings& settings) {
  const auto classes = static_cast<float>(size);
  const float at_label = 0.5F * (first[label] + second[label]);
  const auto [maximum, sum] = pair_statistics(first, second, size);
  const auto sums = pair_sums(first, second, size, maximum);
  const Two log_normaliser{maximum.first + std::log(sums.normaliser.first),
                           maximum.second + std::log(sums.normaliser.second)};
  const float offset = log_normaliser.first - log_normaliser.second;
  const Two divergence{sums.difference.first / sums.normaliser.first - offset,
                       offset - sums.difference.second / sums.normaliser.second};
  write_gradients(first, second, size,
                  {.log_normaliser = log_normaliser,
                   .divergence = divergence,
                   .weight = 0.5F * settings.weight,
                   .everywhere = 0.5F * settings.smoothing / classes});
  first[label] -= 0.5F * (1.0F - settings.smoothing);
  second[label] -= 0.5F * (1.0F - settings.smoothing);
  const float mean_normaliser = 0.5F * (log_normaliser.first + log_normaliser.second);
  const float plain = mean_normaliser - at_label;
  const float uniform = mean_normaliser - 0.5F * sum / classes;
  return {.smoothed = (1.0F - settings.smoothing) * plain + settings.smoothing * uniform,
          .plain = plain,
          .divergence = 0.5F * (divergence.first + divergence.second)};
}

}  // namespace translate
