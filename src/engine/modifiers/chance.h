#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "core/random_numbers.h"

namespace translate {

/// True with a probability (0-1), the same on every platform; takes one draw or more.
[[nodiscard]] inline bool happens(double probability, std::mt19937_64& random) {
  constexpr std::uint64_t kSteps = std::uint64_t{1} << 53U;  // as many as a double can count
  return static_cast<double>(draw_below(random, kSteps)) < probability * static_cast<double>(kSteps);
}

/// One of several values (at least one), each equally likely.
template <typename T>
[[nodiscard]] const T& one_of(std::span<const T> values, std::mt19937_64& random) {
  return values[draw_below(random, values.size())];
}

}  // namespace translate
