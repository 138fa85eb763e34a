#include "kernels/cached_attention.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/processor.h"
#include "kernels/exponential.h"

namespace translate {

namespace {

template <class Number>
const Number* key_of(const CachedRows<Number>& rows, std::int64_t j) {
  return rows.data + (rows.index != nullptr ? rows.index[j] : j) * rows.stride;
}

/// The two kinds of numbers in plain arithmetic. A Half keeps its exponent's bias of 15 when its bits become those of a
/// float, whose bias is 127: the factor makes up for it, for denormal numbers too.
inline float plain_value(float number) { return number; }
inline float plain_value(Half number) {
  constexpr float kBias = 0x1p112F;
  const auto sign = static_cast<std::uint32_t>(number.bits & 0x8000U) << 16U;
  const float size = std::bit_cast<float>(static_cast<std::uint32_t>(number.bits & 0x7fffU) << 13U) * kBias;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | sign);
}

/// Rounds to nearest, ties to even: adding a power of two that leaves as many bits below as the result has rounds the
/// denormal numbers of Half; the others are rounded in their bits.
Half plain_half(float value) {
  constexpr float kLargest = 65504.0F;
  constexpr std::uint32_t kSign = 0x80000000U;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits & kSign) >> 16U);
  const float size = std::min(std::bit_cast<float>(bits & ~kSign), kLargest);
  std::uint32_t rounded = 0;
  if (size < 0x1p-14F) {
    rounded = std::bit_cast<std::uint32_t>(size + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);
  } else {
    const auto of_size = std::bit_cast<std::uint32_t>(size);
    rounded = (of_size - (112U << 23U) + 0xfffU + ((of_size >> 13U) & 1U)) >> 13U;
  }
  return {static_cast<std::uint16_t>(sign | rounded)};
}

template <class Number>
void score_plainly(const HeadShape& shape, const float* query, const CachedRows<Number>& rows, float scale,
                   float* scores) {
  for (std::int64_t j = 0; j < rows.count; ++j) {
    const Number* key = key_of(rows, j);
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      const auto column = head * shape.head_width;
      float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
      for (auto i = column; i < column + shape.head_width; ++i) {
        sum += query[i] * plain_value(key[i]);
      }
      scores[j * shape.weight_stride() + head] = sum * scale;
    }
  }
}

void softmax_heads_plainly(float* scores, std::int64_t count, std::int64_t stride) {
  for (std::int64_t head = 0; head < stride; ++head) {
    float largest = scores[head];
    for (std::int64_t j = 1; j < count; ++j) {
      largest = std::max(largest, scores[j * stride + head]);
    }
    float sum = 0.0F;
    for (std::int64_t j = 0; j < count; ++j) {
      float& weight = scores[j * stride + head];
      weight = exponential(weight - largest);
      sum += weight;
    }
    for (std::int64_t j = 0; j < count; ++j) {
      scores[j * stride + head] /= sum;
    }
  }
}

template <class Number>
void mix_values_plainly(const HeadShape& shape, const CachedRows<Number>& rows, const float* weights, float* out) {
  std::fill_n(out, shape.heads * shape.head_width, 0.0F);
  for (std::int64_t j = 0; j < rows.count; ++j) {
    const Number* value = key_of(rows, j) + rows.to_value;
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      const float weight = weights[j * shape.weight_stride() + head];
#pragma omp simd
      for (auto i = head * shape.head_width; i < (head + 1) * shape.head_width; ++i) {
        out[i] += weight * plain_value(value[i]);
      }
    }
  }
}

#if TRANSLATE_HAS_AVX2_CODE

constexpr std::int64_t kLanes = 8;
constexpr std::int64_t kKeysAtATime = 4;
constexpr std::int64_t kVectorsAtATime = 8;  // vectors of a row of values

/// Loads eight numbers of a row.
TRANSLATE_AVX2 inline __m256 load(const float* from) { return _mm256_loadu_ps(from); }
TRANSLATE_AVX2 inline __m256 load(const Half* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
/// Converts one number.
inline float value_of(float number) { return number; }
TRANSLATE_AVX2 inline float value_of(Half number) { return _cvtsh_ss(number.bits); }

/// Returns the sums of the lanes of four vectors.
TRANSLATE_AVX2 inline __m128 lane_sums(const __m256* sums) {
  const __m256 pairs = _mm256_hadd_ps(_mm256_hadd_ps(sums[0], sums[1]), _mm256_hadd_ps(sums[2], sums[3]));
  return _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1));
}

/// scores[j * stride] = scale * query . key j for keys [first, first + 4) and one head, whose columns start at
/// `column`. If there are fewer keys, the last one takes the places of the missing ones, so that each is computed in
/// the same way. kVectors: the vectors of a head's columns, or 0: any number, and further columns that do not fill one.
template <int kVectors, class Number>
TRANSLATE_AVX2 inline void score_keys(const float* query, const CachedRows<Number>& rows, std::int64_t first,
                                      std::int64_t column, std::int64_t width, float scale, float* scores,
                                      std::int64_t stride) {
  const auto count = std::min(kKeysAtATime, rows.count - first);
  const Number* keys[kKeysAtATime];
  __m256 sums[kKeysAtATime];
#pragma GCC unroll 4
  for (std::int64_t k = 0; k < kKeysAtATime; ++k) {
    keys[k] = key_of(rows, first + std::min(k, count - 1)) + column;
    sums[k] = _mm256_setzero_ps();
  }
  const auto whole = kVectors > 0 ? kVectors * kLanes : width / kLanes * kLanes;
#pragma GCC unroll 8
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    const __m256 part = _mm256_loadu_ps(query + i);
#pragma GCC unroll 4
    for (std::int64_t k = 0; k < kKeysAtATime; ++k) {
      sums[k] = _mm256_fmadd_ps(part, load(keys[k] + i), sums[k]);
    }
  }
  alignas(16) std::array<float, kKeysAtATime> totals;
  _mm_store_ps(totals.data(), lane_sums(sums));
  for (std::int64_t k = 0; k < count; ++k) {
    float total = totals[static_cast<std::size_t>(k)];
    for (auto i = whole; kVectors == 0 && i < width; ++i) {
      total += query[i] * value_of(keys[k][i]);
    }
    scores[(first + k) * stride] = total * scale;
  }
}

/// Prefetches the values of keys [first, first + 4), which are needed later, and the next four keys: the processor
/// cannot predict where rows at arbitrary places come next.
template <class Number>
TRANSLATE_AVX2 inline void fetch_ahead(const CachedRows<Number>& rows, std::int64_t first, std::int64_t width) {
  constexpr std::int64_t kLine = 64 / sizeof(Number);
  for (auto j = first; j < std::min(first + kKeysAtATime, rows.count); ++j) {
    const Number* value = key_of(rows, j) + rows.to_value;
    const Number* later = key_of(rows, std::min(j + kKeysAtATime, rows.count - 1));
    for (std::int64_t i = 0; i < width; i += kLine) {
      _mm_prefetch(reinterpret_cast<const char*>(value + i), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(later + i), _MM_HINT_T0);
    }
  }
}

/// scores[j, h] = scale * query_h . key_jh.
template <int kVectors, class Number>
TRANSLATE_AVX2 void score_heads(const HeadShape& shape, const float* query, const CachedRows<Number>& rows, float scale,
                                float* scores) {
  for (std::int64_t first = 0; first < rows.count; first += kKeysAtATime) {
    fetch_ahead(rows, first, shape.heads * shape.head_width);
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      const auto column = head * shape.head_width;
      score_keys<kVectors>(query + column, rows, first, column, shape.head_width, scale, scores + head,
                           shape.weight_stride());
    }
  }
}

template <class Number>
void score(const HeadShape& shape, const float* query, const CachedRows<Number>& rows, float scale, float* scores) {
  switch (shape.head_width) {
    case 4 * kLanes:
      return score_heads<4>(shape, query, rows, scale, scores);
    case 8 * kLanes:
      return score_heads<8>(shape, query, rows, scale, scores);
    default:
      return score_heads<0>(shape, query, rows, scale, scores);
  }
}

/// Turns scores into weights in place, eight heads at a time.
TRANSLATE_AVX2 void softmax_heads(float* scores, std::int64_t count, std::int64_t stride) {
  for (std::int64_t head = 0; head < stride; head += kLanes) {
    float* column = scores + head;
    __m256 maximum = _mm256_loadu_ps(column);
    for (std::int64_t j = 1; j < count; ++j) {
      maximum = _mm256_max_ps(maximum, _mm256_loadu_ps(column + j * stride));
    }
    __m256 sum = _mm256_setzero_ps();
    for (std::int64_t j = 0; j < count; ++j) {
      const __m256 weight = exponential(_mm256_sub_ps(_mm256_loadu_ps(column + j * stride), maximum));
      _mm256_storeu_ps(column + j * stride, weight);
      sum = _mm256_add_ps(sum, weight);
    }
    const __m256 inverse = _mm256_div_ps(_mm256_set1_ps(1.0F), sum);
    for (std::int64_t j = 0; j < count; ++j) {
      _mm256_storeu_ps(column + j * stride, _mm256_mul_ps(inverse, _mm256_loadu_ps(column + j * stride)));
    }
  }
}

/// Computes columns [first, first + 8 * kCount) of the output, for heads of whole vectors.
template <int kCount, class Number>
TRANSLATE_AVX2 void mix_vectors(const HeadShape& shape, std::int64_t first, const CachedRows<Number>& rows,
                                const float* weights, float* out) {
  const auto stride = shape.weight_stride();
  std::array<std::int64_t, kCount> head;
  __m256 sums[kCount];
  for (int v = 0; v < kCount; ++v) {
    head[static_cast<std::size_t>(v)] = (first + v * kLanes) / shape.head_width;
    sums[v] = _mm256_setzero_ps();
  }
  for (std::int64_t j = 0; j < rows.count; ++j) {
    const Number* value = key_of(rows, j) + rows.to_value + first;
    const float* weight = weights + j * stride;
#pragma GCC unroll 8
    for (int v = 0; v < kCount; ++v) {
      sums[v] = _mm256_fmadd_ps(_mm256_broadcast_ss(weight + head[static_cast<std::size_t>(v)]),
                                load(value + v * kLanes), sums[v]);
    }
  }
  for (int v = 0; v < kCount; ++v) {
    _mm256_storeu_ps(out + first + v * kLanes, sums[v]);
  }
}

/// Computes the output for heads of any width.
template <class Number>
TRANSLATE_AVX2 void mix_plainly(const HeadShape& shape, const CachedRows<Number>& rows, const float* weights,
                                float* out) {
  std::fill_n(out, shape.heads * shape.head_width, 0.0F);
  for (std::int64_t j = 0; j < rows.count; ++j) {
    const Number* value = key_of(rows, j) + rows.to_value;
    for (std::int64_t i = 0; i < shape.heads * shape.head_width; ++i) {
      out[i] += weights[j * shape.weight_stride() + i / shape.head_width] * value_of(value[i]);
    }
  }
}

template <class Number>
TRANSLATE_AVX2 void mix_values(const HeadShape& shape, const CachedRows<Number>& rows, const float* weights,
                               float* out) {
  if (shape.head_width % kLanes != 0) {
    return mix_plainly(shape, rows, weights, out);
  }
  const auto width = shape.heads * shape.head_width;
  std::int64_t first = 0;
  for (; first + kVectorsAtATime * kLanes <= width; first += kVectorsAtATime * kLanes) {
    mix_vectors<kVectorsAtATime>(shape, first, rows, weights, out);
  }
  for (; first < width; first += kLanes) {
    mix_vectors<1>(shape, first, rows, weights, out);
  }
}

TRANSLATE_AVX2 void round_all(const float* from, std::int64_t count, Half* to) {
  const __m256 largest = _mm256_set1_ps(65504.0F);
  const __m256 lowest = _mm256_set1_ps(-65504.0F);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256 clamped = _mm256_max_ps(lowest, _mm256_min_ps(largest, _mm256_loadu_ps(from + i)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(clamped, _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < count; ++i) {
    to[i].bits = _cvtss_sh(std::clamp(from[i], -65504.0F, 65504.0F), _MM_FROUND_TO_NEAREST_INT);
  }
}

#endif

}  // namespace

void round_to_half(const float* from, std::int64_t count, Half* to) {
#if TRANSLATE_HAS_AVX2_CODE
  if (has_avx2_kernels()) {
    return round_all(from, count, to);
  }
#endif
  std::transform(from, from + count, to, plain_half);
}

template <class Number>
void attend_to_cache(const HeadShape& shape, const float* query, const CachedRows<Number>& rows, float* weights,
                     float* out) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(shape.head_width));
  for (std::int64_t j = 0; shape.heads % 8 != 0 && j < rows.count; ++j) {
    std::fill_n(weights + j * shape.weight_stride(), shape.weight_stride(), 0.0F);  // also lanes without a head
  }
#if TRANSLATE_HAS_AVX2_CODE
  if (has_avx2_kernels()) {
    score(shape, query, rows, scale, weights);
    softmax_heads(weights, rows.count, shape.weight_stride());
    return mix_values(shape, rows, weights, out);
  }
#endif
  score_plainly(shape, query, rows, scale, weights);
  softmax_heads_plainly(weights, rows.count, shape.weight_stride());
  mix_values_plainly(shape, rows, weights, out);
}

template void attend_to_cache(const HeadShape&, const float*, const CachedRows<float>&, float*, float*);
template void attend_to_cache(const HeadShape&, const float*, const CachedRows<Half>&, float*, float*);

}  // namespace translate
