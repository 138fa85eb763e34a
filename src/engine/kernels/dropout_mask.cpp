#include "kernels/dropout_mask.h"

#include <cmath>

#include "core/threads.h"
#include "kernels/exponential.h"

namespace translate {

namespace {

/// Mixes all bits of x into all bits of the result (a 32-bit multiply-xorshift finaliser), so that counters become
/// uniform numbers. Uses 32-bit lanes only, so that the loop over it vectorises everywhere.
inline std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  return x;
}

struct Rule {
  std::uint32_t first_key;
  std::uint32_t second_key;
  std::uint32_t threshold;
  float scale;

  explicit Rule(const DropoutMask& dropout)
      : first_key(static_cast<std::uint32_t>(dropout.key)),
        second_key(static_cast<std::uint32_t>(dropout.key >> 32)),
        threshold(static_cast<std::uint32_t>(std::lround(dropout.probability * 4294967295.0))),
        scale(dropout.scale()) {}
};

TRANSLATE_VECTOR_CLONES
void fill(const Rule& rule, std::uint32_t first, float* mask, std::uint32_t count) {
  const Rule r = rule;  // a copy, which the compiler knows that no store changes
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t random = mix(mix((first + i) ^ r.first_key) + r.second_key);
    mask[i] = random >= r.threshold ? r.scale : 0.0F;
  }
}

TRANSLATE_VECTOR_CLONES
void apply(const Rule& rule, std::uint32_t first, std::uint32_t step, float* values, std::uint32_t count) {
  const Rule r = rule;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t random = mix(mix((first + i * step) ^ r.first_key) + r.second_key);
    values[i] *= random >= r.threshold ? r.scale : 0.0F;
  }
}

}  // namespace

void fill_mask(const DropoutMask& dropout, std::int64_t first, std::span<float> mask) {
  fill(Rule(dropout), static_cast<std::uint32_t>(first), mask.data(), static_cast<std::uint32_t>(mask.size()));
}

void apply_mask(const DropoutMask& dropout, std::int64_t first, std::span<float> values, std::int64_t step) {
  if (dropout.probability > 0.0) {
    apply(Rule(dropout), static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(step), values.data(),
          static_cast<std::uint32_t>(values.size()));
  }
}

void fill_whole_mask(const DropoutMask& dropout, std::span<float> mask, std::int64_t first) {
  constexpr std::int64_t kChunk = 16384;
  parallel_ranges(std::ssize(mask), kChunk, [&](std::int64_t begin, std::int64_t end) {
    fill_mask(dropout, first + begin,
              mask.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  });
}

}  // namespace translate
