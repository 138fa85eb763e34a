#pragma once

#include <bit>
#include <cstdint>

#include "core/processor.h"

#if TRANSLATE_HAS_AVX2_CODE
#include <immintrin.h>
#endif

/// Marks a function whose plain loops the compiler vectorises once for each x86-64 level. The loader picks the best
/// version for the machine, so that one build runs everywhere. Expands to nothing if this is not available (other
/// compilers and processors, and sanitizer builds, whose start-up comes before their run-time library is ready).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TRANSLATE_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRANSLATE_VECTOR_CLONES
#endif

namespace translate {

/// e^x for -87 <= x <= 87, with a relative error of about 1e-7: 2^n times a polynomial in the rest, |rest| <= ln 2 / 2.
/// Plain arithmetic, so that the compiler can vectorise loops over it.
inline float exp_within_bounds(float x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it leaves the nearest whole number in the low bits
  const float shifted = x * kLog2E + kRounder;
  const float n = shifted - kRounder;
  const float rest = (x - n * kLn2High) - n * kLn2Low;
  // Taylor coefficients 1/k!, to the sixth power.
  float polynomial = 1.0F / 720.0F;
  polynomial = polynomial * rest + 1.0F / 120.0F;
  polynomial = polynomial * rest + 1.0F / 24.0F;
  polynomial = polynomial * rest + 1.0F / 6.0F;
  polynomial = polynomial * rest + 0.5F;
  polynomial = polynomial * rest + 1.0F;
  polynomial = polynomial * rest + 1.0F;
  const auto exponent = (std::bit_cast<std::int32_t>(shifted) << 23) + (127 << 23);
  return polynomial * std::bit_cast<float>(exponent);
}

/// e^x for x <= 0, never below e^-87.
inline float exp_of_nonpositive(float x) { return exp_within_bounds(x < -87.0F ? -87.0F : x); }

/// e^x, clamped to e^-87 .. e^87. NaN stays NaN.
inline float exponential(float x) {
  x = x > 87.0F ? 87.0F : x;
  return exp_of_nonpositive(x);
}

#if TRANSLATE_HAS_AVX2_CODE
/// e^x of eight values, clamped to e^-87 .. e^87, with a relative error of about 1e-7. NaN stays
/// NaN, hence the order of the operands of minimum and maximum.
TRANSLATE_AVX2 inline __attribute__((always_inline)) __m256 exponential(__m256 x) {
  const __m256 limit = _mm256_set1_ps(87.0F);
  x = _mm256_max_ps(_mm256_sub_ps(_mm256_setzero_ps(), limit), _mm256_min_ps(limit, x));
  const __m256 rounder = _mm256_set1_ps(12582912.0F);
  const __m256 shifted = _mm256_fmadd_ps(x, _mm256_set1_ps(1.44269504F), rounder);
  const __m256 n = _mm256_sub_ps(shifted, rounder);
  __m256 rest = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375F), x);
  rest = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4F), rest);
  __m256 sum = _mm256_set1_ps(1.0F / 720.0F);
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(1.0F / 120.0F));
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(1.0F / 24.0F));
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(1.0F / 6.0F));
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(0.5F));
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(1.0F));
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(1.0F));
  const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
  return _mm256_mul_ps(sum, _mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(127 << 23))));
}

/// The same for sixteen values, equal to the last bit.
TRANSLATE_AVX512 inline __attribute__((always_inline)) __m512 exponential(__m512 x) {
  const __m512 limit = _mm512_set1_ps(87.0F);
  x = _mm512_max_ps(_mm512_sub_ps(_mm512_setzero_ps(), limit), _mm512_min_ps(limit, x));
  const __m512 rounder = _mm512_set1_ps(12582912.0F);
  const __m512 shifted = _mm512_fmadd_ps(x, _mm512_set1_ps(1.44269504F), rounder);
  const __m512 n = _mm512_sub_ps(shifted, rounder);
  __m512 rest = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375F), x);
  rest = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4F), rest);
  __m512 sum = _mm512_set1_ps(1.0F / 720.0F);
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(1.0F / 120.0F));
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(1.0F / 24.0F));
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(1.0F / 6.0F));
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(0.5F));
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(1.0F));
  sum = _mm512_fmadd_ps(sum, rest, _mm512_set1_ps(1.0F));
  const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(shifted), 23);
  return _mm512_mul_ps(sum, _mm512_castsi512_ps(_mm512_add_epi32(exponent, _mm512_set1_epi32(127 << 23))));
}

#endif  // TRANSLATE_HAS_AVX2_CODE

}  // namespace translate
