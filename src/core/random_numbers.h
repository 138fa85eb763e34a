#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <utility>

namespace translate {

/// A seed that depends on every number given, in their order (SplitMix64 over each: Steele et al. 2014). Draws from
/// such seeds are a function of e.g. (run seed, epoch, pair) and need no saved generator state.
[[nodiscard]] std::uint64_t mix_seeds(std::initializer_list<std::uint64_t> numbers);

/// A whole number in 0 .. limit - 1 (limit > 0), each equally likely, the same on every platform; the standard
/// library's distributions and std::shuffle are not.
[[nodiscard]] std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t limit);

/// Shuffles in place (Fisher and Yates), the same on every platform.
template <typename T>
void shuffle(std::span<T> values, std::mt19937_64& random) {
  for (std::size_t remaining = values.size(); remaining > 1; --remaining) {
    std::swap(values[remaining - 1], values[draw_below(random, remaining)]);
  }
}

}  // namespace translate
