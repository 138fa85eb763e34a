#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace translate {

/// The widest jump with a weight of its own, in words.
inline constexpr std::int64_t kWidestJump = 64;
inline constexpr std::size_t kJumps = 2 * kWidestJump + 1;  // -64 .. 64

/// Expected counts of jumps; jumps[kWidestJump + d] is that of a jump of d words.
using JumpCounts = std::array<float, kJumps>;

/// Sums of counts of jumps, of whole numbers, multiples of 2^-32, so that they do not depend on the order of additions.
class JumpSums {
 public:
  void add(const JumpCounts& counts);
  void add(const JumpSums& other);
  [[nodiscard]] double operator[](std::size_t jump) const;

 private:
  std::array<std::int64_t, kJumps> sums_{};
};

/// How far the HMM jumps in the generating sentence from one generated word to the next (Vogel, Ney and Tillmann 1996):
/// p(i | i') = (1 - u) w(i - i') / (sum over i'' in the sentence of w(i'' - i')) + u / I, with a weight w(d) for each
/// jump of at most kWidestJump words, 0 for wider ones, and the uniform share u.
class JumpModel {
 public:
  /// Before training, short jumps are more probable than long ones, and those forward more than those backward.
  JumpModel();

  /// w(d) at place kWidestJump + d.
  [[nodiscard]] std::span<const float, kJumps> weights() const { return weights_; }
  /// w(-d) at place kWidestJump + d.
  [[nodiscard]] std::span<const float, kJumps> reversed() const { return reversed_; }
  /// Sets sums[i'] to the sum of w(i - i') over i = 1 .. words, for i' = 0 .. words; 0 is the place before the first
  /// word.
  void sums_of_weights(std::size_t words, std::vector<float>& sums) const;

  /// Sets the weights in proportion to the counts, with a little added to each.
  void maximize(const JumpSums& counts);

 private:
  void set(const std::array<double, kJumps>& weights);

  std::array<float, kJumps> weights_{};
  std::array<float, kJumps> reversed_{};
  std::array<double, kJumps + 1> cumulative_{};  // sums of the weights before each place
};

}  // namespace translate
