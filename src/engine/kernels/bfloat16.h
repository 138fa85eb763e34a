#pragma once

#include <bit>
#include <cstdint>

namespace translate {

/// bf16: the upper 16 bits of a float, in plain arithmetic that the compiler can vectorise.

/// Rounds to the bits of a bf16 number, to nearest and ties to even, as the processor's instructions do it: denormal
/// numbers become zero, and NaN stays NaN.
inline std::uint32_t bfloat16_bits(float value) {
  constexpr std::uint32_t kSign = 0x80000000U;
  constexpr std::uint32_t kExponent = 0x7f800000U;
  constexpr std::uint32_t kQuiet = 0x00400000U;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16U) & 1U);
  const std::uint32_t number = (bits & kExponent) == 0U ? bits & kSign : rounded;
  return ((bits & ~kSign) > kExponent ? bits | kQuiet : number) >> 16U;
}

/// Returns the lower of the two bf16 numbers that the bits of a term hold (see FactorType).
inline float lower_bfloat16(float term) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(term) << 16U); }

/// Returns the upper one.
inline float upper_bfloat16(float term) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(term) & 0xffff0000U);
}

/// Returns the term of two bf16 numbers.
inline float bfloat16_term(std::uint32_t lower, std::uint32_t upper) {
  return std::bit_cast<float>(upper << 16U | lower);
}

}  // namespace translate
