#include "translate/kernels/cached_attention.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "translate/kernels/vector_exponential.h"

namespace translate {
namespace {

[[maybe_unused]] const float* key_of(const CachedRows& rows, std::int64_t j) {
  return rows.data + (rows.index != nullptr ? rows.index[j] : j) * rows.stride;
}

#if TRANSLATE_HAS_AVX2_CODE

constexpr std::int64_t kLanes = 8;
constexpr std::int64_t kHeadsAtATime = 4;
constexpr std::int64_t kVectorsAtATime = 8;  // of a row of values

/// The sums of the lanes of four vectors.
TRANSLATE_AVX2 inline __m128 lane_sums(const __m256* sums) {
  const __m256 pairs = _mm256_hadd_ps(_mm256_hadd_ps(sums[0], sums[1]), _mm256_hadd_ps(sums[2], sums[3]));
  return _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1));
}

/// The dot product of two heads' columns that fill no whole number of vectors.
float plain_dot(const float* a, const float* b, std::int64_t count) {
  float sum = 0.0F;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

/// scores[j, h] = scale * query_h . key_jh, for heads [first, first + 4); those that are none get 0.
TRANSLATE_AVX2 void score_heads(const HeadShape& shape, std::int64_t first, const float* query, const CachedRows& rows,
                                float scale, float* scores) {
  const auto width = shape.head_width;
  const auto heads = std::min(kHeadsAtATime, shape.heads - first);
  const auto whole = width / kLanes * kLanes;
  for (std::int64_t j = 0; j < rows.count; ++j) {
    const float* key = key_of(rows, j);
    __m256 sums[kHeadsAtATime] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
    for (std::int64_t h = 0; h < heads; ++h) {
      const float* a = query + (first + h) * width;
      const float* b = key + (first + h) * width;
      __m256 sum = _mm256_setzero_ps();
      for (std::int64_t i = 0; i < whole; i += kLanes) {
        sum = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), sum);
      }
      sums[h] = sum;
    }
    alignas(16) std::array<float, kHeadsAtATime> totals;
    _mm_store_ps(totals.data(), lane_sums(sums));
    for (std::int64_t h = 0; whole < width && h < heads; ++h) {
      const auto at = (first + h) * width + whole;
      totals[static_cast<std::size_t>(h)] += plain_dot(query + at, key + at, width - whole);
    }
    _mm_storeu_ps(scores + j * shape.weight_stride() + first,
                  _mm_mul_ps(_mm_load_ps(totals.data()), _mm_set1_ps(scale)));
  }
}

/// Scores to weights in place, eight heads at a time.
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

/// Columns [first, first + 8 * kCount) of the output, for heads of whole vectors.
template <int kCount>
TRANSLATE_AVX2 void mix_vectors(const HeadShape& shape, std::int64_t first, const CachedRows& rows,
                                const float* weights, float* out) {
  const auto stride = shape.weight_stride();
  std::array<std::int64_t, kCount> head;
  __m256 sums[kCount];
  for (int v = 0; v < kCount; ++v) {
    head[static_cast<std::size_t>(v)] = (first + v * kLanes) / shape.head_width;
    sums[v] = _mm256_setzero_ps();
  }
  for (std::int64_t j = 0; j < rows.count; ++j) {
    const float* value = key_of(rows, j) + rows.to_value + first;
    const float* weight = weights + j * stride;
#pragma GCC unroll 8
    for (int v = 0; v < kCount; ++v) {
      sums[v] = _mm256_fmadd_ps(_mm256_broadcast_ss(weight + head[static_cast<std::size_t>(v)]),
                                _mm256_loadu_ps(value + v * kLanes), sums[v]);
    }
  }
  for (int v = 0; v < kCount; ++v) {
    _mm256_storeu_ps(out + first + v * kLanes, sums[v]);
  }
}

/// The output for heads of any width.
void mix_plainly(const HeadShape& shape, const CachedRows& rows, const float* weights, float* out) {
  std::fill_n(out, shape.heads * shape.head_width, 0.0F);
  for (std::int64_t j = 0; j < rows.count; ++j) {
    const float* value = key_of(rows, j) + rows.to_value;
    for (std::int64_t i = 0; i < shape.heads * shape.head_width; ++i) {
      out[i] += weights[j * shape.weight_stride() + i / shape.head_width] * value[i];
    }
  }
}

TRANSLATE_AVX2 void mix_values(const HeadShape& shape, const CachedRows& rows, const float* weights, float* out) {
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

#else

constexpr std::int64_t kHeadsAtATime = 4;
void score_heads(const HeadShape&, std::int64_t, const float*, const CachedRows&, float, float*) {}
void softmax_heads(float*, std::int64_t, std::int64_t) {}
void mix_values(const HeadShape&, const CachedRows&, const float*, float*) {}

#endif

}  // namespace

void attend_to_cache(const HeadShape& shape, const float* query, const CachedRows& rows, float* weights, float* out) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(shape.head_width));
  for (std::int64_t j = 0; shape.heads % 8 != 0 && j < rows.count; ++j) {
    std::fill_n(weights + j * shape.weight_stride(), shape.weight_stride(), 0.0F);  // of what is no head, too
  }
  for (std::int64_t head = 0; head < shape.heads; head += kHeadsAtATime) {
    score_heads(shape, head, query, rows, scale, weights);
  }
  softmax_heads(weights, rows.count, shape.weight_stride());
  mix_values(shape, rows, weights, out);
}

}  // namespace translate
