#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace translate {

/// Scans a row of logits for the normaliser of its log-probabilities and for its large values. Two passes that the
/// compiler vectorises; the memory is kept for the next row.
class LogitScan {
 public:
  /// Scans a row, which must not change while the scan is in use. -inf marks a forbidden logit. Throws RuntimeError if
  /// a logit is NaN or +inf.
  void look(std::span<const float> logits) { scan(logits, /*exponentials=*/nullptr); }

  /// Scans a row as `look` does, and writes its softmax to `probabilities`, or adds it to what is there. The
  /// softmax of a row whose logits are all forbidden is 0.
  void give_probabilities(std::span<const float> logits, bool add, std::span<float> probabilities);

  /// Returns whether every logit is forbidden.
  [[nodiscard]] bool is_empty() const { return largest_ == -std::numeric_limits<float>::infinity(); }

  /// Returns log softmax at `logit`; never above 0, although sums are rounded.
  [[nodiscard]] double log_probability(float logit) const {
    return std::min(0.0, static_cast<double>(logit) - log_sum_);
  }
  [[nodiscard]] float largest() const { return largest_; }
  [[nodiscard]] double log_sum() const { return log_sum_; }

  /// Returns the log-probability of the largest logit after all were multiplied by `scale`, which is above 0.
  [[nodiscard]] double log_share_of_largest(float scale) const;

  /// Returns a number that at least `count` logits reach (1 or more); the lowest float if no such number is known.
  [[nodiscard]] float reached_by(std::size_t count);

  /// Calls take(index, logit), in the order of the indices, for each logit that is not below `floor` at that time:
  /// `take` may raise it.
  template <typename Take>
  void for_large(const float& floor, const Take& take) const {
    for (std::size_t block = 0; block < block_largest_.size(); ++block) {
      if (block_largest_[block] < floor) {
        continue;
      }
      const auto end = std::min((block + 1) * kBlock, logits_.size());
      for (auto i = block * kBlock; i < end; ++i) {
        if (logits_[i] >= floor) {
          take(i, logits_[i]);
        }
      }
    }
  }

 private:
  static constexpr std::size_t kBlock = 64;

  /// Scans a row. `exponentials` is null, or gets e^(logit - largest) of each logit.
  void scan(std::span<const float> logits, float* exponentials);

  std::span<const float> logits_;
  std::vector<float> block_largest_;
  std::vector<float> sorted_;        ///< a partly sorted copy of block_largest_
  std::vector<float> exponentials_;  ///< of the row of give_probabilities
  float largest_ = 0.0F;
  double log_sum_ = 0.0;
};

/// out[i] = e^(scale (x[i] - shift)), where shift is at least the largest of x, and scale is above 0. The relative
/// error is about 1e-7. The result is never below e^-87, except that it is 0 if x is -inf.
void exponentials(std::span<const float> x, float shift, float scale, float* out);

/// x[i] = log(scale x[i]) for values that are not negative, with an error of about 1e-7 relative to 1; -inf for 0.
void logarithms(std::span<float> x, float scale);

}  // namespace translate
