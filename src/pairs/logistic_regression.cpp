#include "pairs/logistic_regression.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace translate {

namespace {

constexpr std::size_t kWeights = 3;
using Vector = std::array<double, kWeights>;
using Matrix = std::array<Vector, kWeights>;

/// Solves a symmetric, positive definite system by Gauss's elimination, in which no pivot is 0.
Vector solution(Matrix matrix, Vector right) {
  for (std::size_t pivot = 0; pivot < kWeights; ++pivot) {
    for (std::size_t row = pivot + 1; row < kWeights; ++row) {
      const double factor = matrix[row][pivot] / matrix[pivot][pivot];
      for (std::size_t column = pivot; column < kWeights; ++column) {
        matrix[row][column] -= factor * matrix[pivot][column];
      }
      right[row] -= factor * right[pivot];
    }
  }
  for (std::size_t row = kWeights; row-- > 0;) {
    for (std::size_t column = row + 1; column < kWeights; ++column) {
      right[row] -= matrix[row][column] * right[column];
    }
    right[row] /= matrix[row][row];
  }
  return right;
}

}  // namespace

LogisticRegression::LogisticRegression(std::span<const LabelledFeatures> examples) {
  constexpr int kIterations = 25;
  constexpr double kPenalty = 0.01;
  constexpr double kSmallest = 1e-9;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Matrix hessian = {};
    Vector gradient = {};
    for (std::size_t i = 0; i < kWeights; ++i) {
      hessian[i][i] = kPenalty;
      gradient[i] = kPenalty * weights_[i];
    }
    for (const auto& [features, is_positive] : examples) {
      const double p = 1.0 / (1.0 + std::exp(-log_odds(features)));
      const Vector x = {features[0], features[1], 1.0};
      for (std::size_t i = 0; i < kWeights; ++i) {
        gradient[i] += x[i] * (p - (is_positive ? 1.0 : 0.0));
        for (std::size_t j = 0; j < kWeights; ++j) {
          hessian[i][j] += x[i] * x[j] * p * (1.0 - p);
        }
      }
    }
    const auto step = solution(hessian, gradient);
    double largest = 0.0;
    for (std::size_t i = 0; i < kWeights; ++i) {
      weights_[i] -= step[i];
      largest = std::max(largest, std::abs(step[i]));
    }
    if (largest < kSmallest) {
      return;
    }
  }
}

}  // namespace translate
