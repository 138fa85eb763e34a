#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <span>
#include <utility>

namespace translate {
/// A seed that depends on every number given, in their order (SplitMix64 over each: Steele et al. 2014). Draws from
/// such seeds are a function of e.g. (run seed, epoch, pair) and need no saved generator state.
[[nodiscard]] inline std::uint64_t mix_seeds(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t state = 0;
  for (const std::uint64_t number : numbers) {
    state = (state ^ number) + 0x9e3779b97f4a7c15U;
    state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
    state ^= state >> 31U;
  }
  return state;
}

/// A whole number in 0 .. limit - 1 (limit > 0), each equally likely, the same on every platform; the standard
/// library's distributions and std::shuffle are not.
[[nodiscard]] inline std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t limit) {
  // Draws above the last whole multiple of limit are rejected: they would make small results more likely.
  constexpr std::uint64_t kMaximum = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t last_fair = kMaximum - (kMaximum % limit + 1) % limit;
  std::uint64_t draw = random();
  while (draw > last_fair) {
    draw = random();
  }
  return draw % limit;
}

/// Shuffles in place (Fisher and Yates), the same on every platform.
template <typename T>
void shuffle(std::span<T> values, std::mt19937_64& random) {
  for (std::size_t remaining = values.size(); remaining > 1; --remaining) {
    std::swap(values[remaining - 1], values[draw_below(random, remaining)]);
  }
}

}  // namespace translate
