#include "kernels/matrix/matrix_product.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/bfloat16.h"
#include "unit/engine/kernels/random_factors.h"

namespace translate {
namespace {

float as_factor(float value, FactorType type) {
  return type == FactorType::kFloat ? value : std::bit_cast<float>(bfloat16_bits(value) << 16U);
}

TEST(MatrixProduct, IsTheProductOfTheRoundedFactors) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same shapes and values each time
  for (const auto type : {FactorType::kFloat, FactorType::kBfloat16}) {
    // Every number of rows of a tile, odd depths, more than a block of the depth, whole and cut panels.
    for (const auto& [rows, depth, columns] :
         {FactorShape{1, 1, 16}, FactorShape{2, 3, 16}, FactorShape{3, 64, 17}, FactorShape{4, 13, 48},
          FactorShape{5, 100, 40}, FactorShape{7, 261, 5}, FactorShape{12, 513, 32}, FactorShape{13, 40, 64}}) {
      SCOPED_TRACE(::testing::Message() << rows << " x " << depth << " x " << columns << ", "
                                        << static_cast<int>(type));
      const auto weights = random_values(columns * depth, random);
      const auto inputs = random_values(rows * depth, random);
      const auto bias = random_values(columns, random);
      PackedMatrix right(type);
      pack_transposed({weights.data(), depth}, columns, depth, right);
      std::vector<float> out(static_cast<std::size_t>(rows * columns), -7.0F);
      multiply(rows, {inputs.data(), depth}, right, {out.data(), columns}, bias.data());
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
          double expected = bias[static_cast<std::size_t>(column)];
          for (std::int64_t k = 0; k < depth; ++k) {
            expected += double{as_factor(inputs[static_cast<std::size_t>(row * depth + k)], type)} *
                        as_factor(weights[static_cast<std::size_t>(column * depth + k)], type);
          }
          EXPECT_NEAR(out[static_cast<std::size_t>(row * columns + column)], expected, 1e-4)
              << "row " << row << ", column " << column;
        }
      }
    }
  }
}

TEST(MatrixProduct, OfARowDoesNotDependOnTheOthers) {
  std::mt19937 random(2);  // NOLINT(cert-msc51-cpp): the same values each time
  constexpr std::int64_t kRows = 9;
  constexpr std::int64_t kDepth = 77;
  constexpr std::int64_t kColumns = 48;
  for (const auto type : {FactorType::kFloat, FactorType::kBfloat16}) {
    const auto weights = random_values(kColumns * kDepth, random);
    const auto inputs = random_values(kRows * kDepth, random);
    PackedMatrix right(type);
    pack_transposed({weights.data(), kDepth}, kColumns, kDepth, right);
    std::vector<float> together(static_cast<std::size_t>(kRows * kColumns));
    std::vector<float> alone(together.size());
    multiply(kRows, {inputs.data(), kDepth}, right, {together.data(), kColumns});
    for (std::int64_t row = 0; row < kRows; ++row) {
      multiply(1, {inputs.data() + row * kDepth, kDepth}, right, {alone.data() + row * kColumns, kColumns});
    }
    EXPECT_EQ(alone, together);
  }
}

}  // namespace
}  // namespace translate
