#pragma once

#include <cstdint>
#include <span>

namespace translate {

/// The elements that dropout keeps, and the factor that multiplies them. Element i of a tensor, counted in row-major
/// order, is a function of (key, i) alone, so that a mask does not depend on the number of threads, and the backward
/// pass can compute it again instead of keeping it. Counter-based, as in Salmon et al. 2011 ("Parallel random numbers:
/// as easy as 1, 2, 3"), with a cheaper mixing function, because dropout needs independence and not cryptography.
/// Elements are counted modulo 2^32: in a larger tensor, those 2^32 apart are equal.
struct DropoutMask {
  double probability = 0.0;  ///< that an element is zeroed; 0 leaves everything as it is
  std::uint64_t key = 0;

  /// The factor of the elements that are kept: 1 / (1 - probability).
  [[nodiscard]] float scale() const { return static_cast<float>(1.0 / (1.0 - probability)); }
};

/// Writes elements [first, first + mask.size()) of the mask: 0 or scale(). Runs on this thread.
void fill_mask(const DropoutMask& dropout, std::int64_t first, std::span<float> mask);

/// values[i] *= element first + i * step of the mask. Runs on this thread.
void apply_mask(const DropoutMask& dropout, std::int64_t first, std::span<float> values, std::int64_t step = 1);

/// Writes the whole mask of a tensor, or that of a slice of it which begins at element `first`, on all threads.
void fill_whole_mask(const DropoutMask& dropout, std::span<float> mask, std::int64_t first = 0);

}  // namespace translate
