#include "translate/kernels/bfloat16.h"

#include "translate/kernels/cpu_features.h"

#if TRANSLATE_HAS_AVX2_CODE
#include <immintrin.h>
#endif

namespace translate {

#if TRANSLATE_HAS_AVX2_CODE

namespace {

constexpr std::int64_t kLanes = 16;
constexpr __mmask32 kLower = 0x55555555U;  // the lower half of each term
constexpr unsigned kBits = 16;

/// 32 values, `lower` first.
TRANSLATE_AVX512 inline __m512i rounded(__m512 lower, __m512 upper) {
  return (__m512i)_mm512_cvtne2ps_pbh(upper, lower);
}

/// 16 values, each in the lower half of a term.
TRANSLATE_AVX512 inline __m512i in_lower_halves(const float* from) {
  return _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(_mm512_loadu_ps(from)));
}

}  // namespace

TRANSLATE_AVX512 void round_to_terms(const float* from, std::int64_t count, float* terms) {
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    _mm512_storeu_si512(terms + i / 2, rounded(_mm512_loadu_ps(from + i), _mm512_loadu_ps(from + i + kLanes)));
  }
  if (i < count) {
    const auto rest = static_cast<unsigned>(count - i);
    const auto mask = static_cast<__mmask32>((std::uint64_t{1} << rest) - 1);
    const __m512 lower = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from + i);
    const __m512 upper = rest > kLanes
                             ? _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> kLanes), from + i + kLanes)
                             : _mm512_setzero_ps();
    const auto terms_left = (rest + 1) / 2;
    _mm512_mask_storeu_epi32(terms + i / 2, static_cast<__mmask16>((1U << terms_left) - 1), rounded(lower, upper));
  }
}

TRANSLATE_AVX512 void round_to_panels(const float* lower, const float* upper, std::int64_t panels, float* terms,
                                      std::int64_t to_next) {
  if (lower != nullptr && upper != nullptr) {
    for (std::int64_t i = 0; i < panels; ++i) {
      const __m512i high = _mm512_slli_epi32(in_lower_halves(upper + i * kLanes), kBits);
      _mm512_storeu_si512(terms + i * to_next, _mm512_or_si512(in_lower_halves(lower + i * kLanes), high));
    }
    return;
  }
  for (std::int64_t i = 0; lower != nullptr && i < panels; ++i) {
    _mm512_mask_storeu_epi16(terms + i * to_next, kLower, in_lower_halves(lower + i * kLanes));
  }
  for (std::int64_t i = 0; upper != nullptr && i < panels; ++i) {
    const __m512i high = _mm512_slli_epi32(in_lower_halves(upper + i * kLanes), kBits);
    _mm512_mask_storeu_epi16(terms + i * to_next, ~kLower, high);
  }
}

#else

void round_to_terms(const float*, std::int64_t, float*) {}
void round_to_panels(const float*, const float*, std::int64_t, float*, std::int64_t) {}

#endif

ConstRows left_terms(FactorType type, const ConstRows& rows, std::int64_t count, std::int64_t width,
                     FloatBuffer& scratch) {
  if (type == FactorType::kFloat) {
    return rows;
  }
  const auto stride = terms_of(width, type);
  float* terms = scratch.take(count * stride);
  for (std::int64_t i = 0; i < count; ++i) {
    round_to_terms(rows.data + i * rows.stride, width, terms + i * stride);
  }
  return {terms, stride};
}

}  // namespace translate
