#pragma once

#include <array>
#include <span>
#include <vector>

namespace translate {

/// Two features of something, and which of two classes it is of.
struct LabelledFeatures {
  std::array<double, 2> features;
  bool is_positive;
};

/// Tells two classes apart by two features: log(p / (1 - p)) = w1 x1 + w2 x2 + w0.
class LogisticRegression {
 public:
  LogisticRegression() = default;

  /// The weights of the highest likelihood, with a small penalty of their squares so that they are finite, found by
  /// Newton's method (iteratively reweighted least squares).
  explicit LogisticRegression(std::span<const LabelledFeatures> examples);

  /// The logarithm of the odds that something is positive; 0 without examples.
  [[nodiscard]] double log_odds(const std::array<double, 2>& features) const {
    return weights_[0] * features[0] + weights_[1] * features[1] + weights_[2];
  }

 private:
  std::array<double, 3> weights_ = {};
};

}  // namespace translate
