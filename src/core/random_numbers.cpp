#include "core/random_numbers.h"

#include <limits>

namespace translate {

std::uint64_t mix_seeds(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t state = 0;
  for (const std::uint64_t number : numbers) {
    state = (state ^ number) + 0x9e3779b97f4a7c15U;
    state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
    state ^= state >> 31U;
  }
  return state;
}

std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t limit) {
  // Draws above the last whole multiple of limit are rejected: they would make small results more likely.
  constexpr std::uint64_t kMaximum = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t last_fair = kMaximum - (kMaximum % limit + 1) % limit;
  std::uint64_t draw = random();
  while (draw > last_fair) draw = random();
  return draw % limit;
}

}  // namespace translate
