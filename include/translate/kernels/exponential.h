#pragma once

#include <bit>
#include <cstdint>

namespace translate {

/// e^x for x <= 0, good to about 1e-7 relative and never below e^-87: 2^n times a polynomial in the rest,
/// |rest| <= ln 2 / 2. Plain arithmetic, so that loops over it vectorise.
inline float exp_of_nonpositive(float x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it leaves the nearest whole number in the low bits
  const float clamped = x < -87.0F ? -87.0F : x;
  const float shifted = clamped * kLog2E + kRounder;
  const float n = shifted - kRounder;
  const float rest = (clamped - n * kLn2High) - n * kLn2Low;
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

}  // namespace translate
