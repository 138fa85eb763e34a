#pragma once

#include <cstdint>
#include <span>

namespace translate {

/// Which elements dropout keeps, and what it multiplies them by: element i of a tensor, counted in row-major order, is
/// a function of (key, i) alone, so that a mask is the same whatever the number of threads and can be made again in
/// the backward pass instead of being kept. Counter-based, as in Salmon et al. 2011 ("Parallel random numbers: as easy
/// as 1, 2, 3"), with a cheaper mixing function, as dropout needs independence and not cryptography.
struct DropoutMask {
  double probability = 0.0;  ///< of an element being zeroed; 0 leaves everything as it is
  std::uint64_t key = 0;

  /// What is kept is multiplied by this: 1 / (1 - probability).
  [[nodiscard]] float scale() const { return static_cast<float>(1.0 / (1.0 - probability)); }
};

/// Elements [first, first + mask.size()) of the mask: 0 or scale(). On this thread.
void fill_mask(const DropoutMask& dropout, std::int64_t first, std::span<float> mask);

/// values[i] *= element first + i * step of the mask. On this thread.
void apply_mask(const DropoutMask& dropout, std::int64_t first, std::span<float> values, std::int64_t step = 1);

/// The whole mask, on all threads.
void fill_whole_mask(const DropoutMask& dropout, std::span<float> mask);

}  // namespace translate
