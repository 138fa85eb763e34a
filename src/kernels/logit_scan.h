#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace translate {

/// Looks over a row of logits: what log-probabilities take, and where the large ones are. Two passes that the compiler
/// vectorises; the memory is kept for the next row.
class LogitScan {
 public:
  /// The row must stay as it is while the scan is asked about it. -inf marks what is forbidden.
  /// Throws RuntimeError where a logit is NaN or +inf.
  void look(std::span<const float> logits);

  /// Whether everything is forbidden.
  [[nodiscard]] bool is_empty() const { return largest_ == -std::numeric_limits<float>::infinity(); }

  /// log softmax at `logit`; never above 0, though sums are rounded.
  [[nodiscard]] double log_probability(float logit) const {
    return std::min(0.0, static_cast<double>(logit) - log_sum_);
  }
  [[nodiscard]] float largest() const { return largest_; }
  [[nodiscard]] double log_sum() const { return log_sum_; }

  /// A number that at least `count` logits reach (1 or more); the lowest there is where that is not known.
  [[nodiscard]] float reached_by(std::size_t count);

  /// Calls take(index, logit), by rising index, for the logits that are not below `floor` when they come up: `take` may
  /// raise it.
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

  std::span<const float> logits_;
  std::vector<float> block_largest_;
  std::vector<float> sorted_;  ///< the same, in part
  float largest_ = 0.0F;
  double log_sum_ = 0.0;
};

/// out[i] = e^(scale (x[i] - shift)); shift is at least the largest of x, scale above 0. Good to about 1e-7 relative,
/// and never below e^-87 but where x is -inf: 0.
void exponentials(std::span<const float> x, float shift, float scale, float* out);

/// x[i] = log(scale x[i]) for what is not negative, good to about 1e-7 relative to 1; -inf of 0.
void logarithms(std::span<float> x, float scale);

}  // namespace translate
