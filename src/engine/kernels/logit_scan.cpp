#include "kernels/logit_scan.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>

#include "core/error.h"
#include "kernels/exponential.h"

namespace translate {

namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// Finds the largest of each block of `block` values, and returns the largest of all.
TRANSLATE_VECTOR_CLONES
float find_largest(const float* x, std::size_t count, std::size_t block, float* largest) {
  float all = kMinusInfinity;
  for (std::size_t begin = 0; begin < count; begin += block, ++largest) {
    const std::size_t end = begin + block < count ? begin + block : count;
    float most = kMinusInfinity;
#pragma omp simd reduction(max : most)
    for (std::size_t i = begin; i < end; ++i) {
      most = x[i] > most ? x[i] : most;
    }
    *largest = most;
    all = most > all ? most : all;
  }
  return all;
}

/// Returns the sum of value(i) for i below `count`. It is inlined into the clones of its callers, with their vectors.
template <typename Value>
[[gnu::always_inline]] inline double sum_in_blocks(std::size_t count, const Value& value) {
  constexpr std::size_t kBlock = 256;  // summed in single precision
  double sum = 0.0;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = begin + kBlock < count ? begin + kBlock : count;
    float part = 0.0F;
#pragma omp simd reduction(+ : part)
    for (std::size_t i = begin; i < end; ++i) {
      part += value(i);
    }
    sum += static_cast<double>(part);
  }
  return sum;
}

/// Returns the sum of e^(scale (x - shift)), or NaN if an x is NaN.
TRANSLATE_VECTOR_CLONES
double sum_exponentials(const float* x, std::size_t count, float shift, float scale) {
  return sum_in_blocks(count, [=](std::size_t i) { return exp_of_nonpositive(scale * (x[i] - shift)); });
}

/// Returns the same sum, and writes the exponentials, which are 0 where x is -inf.
TRANSLATE_VECTOR_CLONES
double fill_exponentials(const float* x, std::size_t count, float shift, float scale, float* out) {
  return sum_in_blocks(count, [=](std::size_t i) {
    const float value = exp_of_nonpositive(scale * (x[i] - shift));
    out[i] = x[i] == kMinusInfinity ? 0.0F : value;
    return value;
  });
}

TRANSLATE_VECTOR_CLONES
void write_scaled(const float* x, std::size_t count, float scale, float* __restrict out) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = scale * x[i];
  }
}

TRANSLATE_VECTOR_CLONES
void add_scaled(const float* x, std::size_t count, float scale, float* __restrict out) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    out[i] += scale * x[i];
  }
}

/// log x for x > 0: the log of the power of two, and a series for the rest, which lies between the roots of 1/2 and 2:
/// with s = (m - 1) / (m + 1), log m = 2 (s + s^3 / 3 + s^5 / 5 + ...).
inline float log_of_positive(float x) {
  constexpr std::int32_t kRootOfHalf = 0x3f3504f3;
  const auto bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t exponent = (bits - kRootOfHalf) >> 23;
  const float rest = std::bit_cast<float>(bits - (exponent << 23)) - 1.0F;
  const float s = rest / (2.0F + rest);
  const float square = s * s;
  float series = 2.0F / 9.0F;
  series = series * square + 2.0F / 7.0F;
  series = series * square + 2.0F / 5.0F;
  series = series * square + 2.0F / 3.0F;
  series = series * square + 2.0F;
  return static_cast<float>(exponent) * 0.693147181F + s * series;
}

TRANSLATE_VECTOR_CLONES
void fill_logarithms(float* x, std::size_t count, float scale) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const float scaled = scale * x[i];
    const float value = log_of_positive(scaled);
    x[i] = scaled == 0.0F ? kMinusInfinity : value;
  }
}

}  // namespace

void LogitScan::scan(std::span<const float> logits, float* exponentials) {
  logits_ = logits;
  block_largest_.resize((logits.size() + kBlock - 1) / kBlock);
  largest_ = find_largest(logits.data(), logits.size(), kBlock, block_largest_.data());
  if (is_empty()) {
    // No logit is above -inf: each is -inf, or NaN, which compares false with everything.
    log_sum_ = -std::numeric_limits<double>::infinity();
    if (std::ranges::none_of(logits, [](float x) { return std::isnan(x); })) {
      return;
    }
  } else {
    const double sum = exponentials == nullptr
                           ? sum_exponentials(logits.data(), logits.size(), largest_, /*scale=*/1.0F)
                           : fill_exponentials(logits.data(), logits.size(), largest_, /*scale=*/1.0F, exponentials);
    log_sum_ = static_cast<double>(largest_) + std::log(sum);
  }
  if (!std::isfinite(log_sum_)) {
    throw RuntimeError(
        "the model's logits are not finite: its weights are damaged, or unsuitable for this --precision (fp32 is the "
        "safest)");
  }
}

void LogitScan::give_probabilities(std::span<const float> logits, bool add, std::span<float> probabilities) {
  exponentials_.resize(logits.size());
  scan(logits, exponentials_.data());
  const auto scale = is_empty() ? 0.0F : static_cast<float>(std::exp(static_cast<double>(largest_) - log_sum_));
  (add ? add_scaled : write_scaled)(exponentials_.data(), logits.size(), scale, probabilities.data());
}

double LogitScan::log_share_of_largest(float scale) const {
  if (scale == 1.0F) {
    return static_cast<double>(largest_) - log_sum_;
  }
  return -std::log(sum_exponentials(logits_.data(), logits_.size(), largest_, scale));
}

float LogitScan::reached_by(std::size_t count) {
  if (count == 1) {
    return largest_;
  }
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  if (block_largest_.size() < count) {
    return kLowest;
  }
  sorted_ = block_largest_;
  const auto place = sorted_.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::ranges::nth_element(sorted_, place, std::greater<>());
  return std::max(*place, kLowest);
}

void exponentials(std::span<const float> x, float shift, float scale, float* out) {
  fill_exponentials(x.data(), x.size(), shift, scale, out);
}

void logarithms(std::span<float> x, float scale) { fill_logarithms(x.data(), x.size(), scale); }

}  // namespace translate
