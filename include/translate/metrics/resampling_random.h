#pragma once

#include <array>
#include <cstdint>

namespace translate {

/// The random numbers that significance tests draw: those of NumPy's default generator, so that a test with sacreBLEU's
/// seed draws what sacreBLEU draws. PCG64 (O'Neill 2014: a 128-bit linear congruential generator, output XSL-RR)
/// seeded through NumPy's SeedSequence; the same numbers on every platform.
class ResamplingRandom {
 public:
  explicit ResamplingRandom(std::uint64_t seed);

  /// A whole number in 0 .. limit - 1 (limit > 0), each equally likely: NumPy's choice(limit) (Lemire 2019).
  [[nodiscard]] std::uint32_t below(std::uint32_t limit);

  /// True or false, as likely: NumPy's integers(2, dtype=bool). Flags take a bit each of a number drawn for 32 of them.
  [[nodiscard]] bool flag();

 private:
  /// A whole number of 128 bits.
  struct Wide {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
  };

  static Wide add(Wide a, Wide b);
  static Wide multiply(Wide a, Wide b);

  void step();
  std::uint64_t next_64();
  std::uint32_t next_32();

  Wide state_;
  Wide increment_;
  bool has_half_ = false;  ///< the upper half of a number whose lower half was handed out is still there
  std::uint32_t half_ = 0;
  std::uint32_t flags_ = 0;
  int flags_left_ = 0;
};

}  // namespace translate
