#include "kernels/matrix/byte_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "unit/engine/kernels/random_factors.h"

namespace translate {
namespace {

/// The sum of byte times weight over the depth of a row and a column, exactly.
std::int64_t whole_sum(const ByteRows& left, std::int64_t row, const ByteMatrix& right, std::int64_t column) {
  const auto* bytes = left.row(row);
  const auto* panel = right.panel(column / kPanelWidth * kPanelWidth);
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < 4 * right.terms(); ++k) {
    sum += std::int64_t{bytes[k]} * panel[k / 4 * 4 * kPanelWidth + column % kPanelWidth * 4 + k % 4];
  }
  return sum;
}

TEST(ByteMatrix, ProductsAreTheExactSumsScaled) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same shapes and values each time
  // Every number of rows of a tile, depths that do and do not fill up terms and pairs of terms, whole and cut panels.
  for (const auto& [rows, depth, columns] :
       {FactorShape{1, 4, 16}, FactorShape{2, 7, 16}, FactorShape{3, 64, 17}, FactorShape{4, 12, 48},
        FactorShape{5, 100, 40}, FactorShape{6, 260, 16}, FactorShape{7, 33, 5}, FactorShape{8, 512, 32},
        FactorShape{9, 1030, 20}}) {
    SCOPED_TRACE(::testing::Message() << rows << " x " << depth << " x " << columns);
    const auto weights = random_values(columns * depth, random);
    const auto inputs = random_values(rows * depth, random);
    const auto bias = random_values(columns, random);
    ByteMatrix right;
    right.resize(depth, columns);
    right.set_columns({weights.data(), depth}, 0, columns);
    ByteRows left;
    left.set({inputs.data(), depth}, rows, depth);
    std::vector<float> out(static_cast<std::size_t>(rows * columns), -7.0F);
    multiply_bytes(rows, left, right, {0, columns}, {out.data(), columns}, bias.data());
    for (std::int64_t row = 0; row < rows; ++row) {
      double error = 0.0;
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto exact = static_cast<double>(whole_sum(left, row, right, column)) * left.steps()[row] +
                           double{left.least()[row]} * right.sums()[column];
        const double expected = exact * right.scales()[column] + bias[static_cast<std::size_t>(column)];
        const double found = out[static_cast<std::size_t>(row * columns + column)];
        EXPECT_NEAR(found, expected, 2e-5) << "row " << row << ", column " << column;
        double product = bias[static_cast<std::size_t>(column)];
        for (std::int64_t k = 0; k < depth; ++k) {
          product += double{inputs[static_cast<std::size_t>(row * depth + k)]} *
                     weights[static_cast<std::size_t>(column * depth + k)];
        }
        error = std::max(error, std::abs(found - product));
      }
      EXPECT_LT(error, 0.012 * std::sqrt(static_cast<double>(depth)));  // what rounding to 8 bits loses
    }
  }
}

TEST(ByteMatrix, TheLargestBytesAndWeightsDoNotOverflow) {
  constexpr std::int64_t kDepth = 4096;
  const std::vector<float> weights(static_cast<std::size_t>(16 * kDepth), 1.0F);
  std::vector<float> inputs(static_cast<std::size_t>(2 * kDepth), 1.0F);
  inputs.front() = 0.0F;  // so that the others are 255 steps
  inputs.at(static_cast<std::size_t>(kDepth)) = 0.0F;
  ByteMatrix right;
  right.resize(kDepth, 16);
  right.set_columns({weights.data(), kDepth}, 0, 16);
  ByteRows left;
  left.set({inputs.data(), kDepth}, 2, kDepth);
  std::vector<float> out(32);
  multiply_bytes(2, left, right, {0, 16}, {out.data(), 16});
  for (const float value : out) {
    EXPECT_NEAR(value, kDepth - 1, 0.01 * kDepth);
  }
}

}  // namespace
}  // namespace translate
