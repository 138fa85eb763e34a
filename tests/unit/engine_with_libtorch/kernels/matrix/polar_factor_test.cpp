#include "kernels/matrix/polar_factor.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace translate {
namespace {

struct FactorShape {
  std::int64_t rows;
  std::int64_t columns;
};

/// Square, wide and tall; bands and panels whole and cut; depths of more than one block; a single row, column, number.
constexpr FactorShape kFactorShapes[] = {{128, 128}, {64, 256}, {512, 128}, {50, 37}, {37, 50},
                                         {97, 300},  {1, 40},   {40, 1},    {1, 1}};

class PolarFactor : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(5); }

  static at::Tensor factor_of(const at::Tensor& x) {
    const auto out = at::full_like(x, 7.0);
    polar_factor(x.size(0), x.size(1), {x.const_data_ptr<float>(), x.size(1)},
                 {out.mutable_data_ptr<float>(), x.size(1)});
    return out;
  }
};

/// What the rounds are on singular values, by the definition.
at::Tensor after_rounds(at::Tensor s) {
  for (const auto& [first, third, fifth] : kPolarRounds) {
    s = first * s + third * s.pow(3) + fifth * s.pow(5);
  }
  return s;
}

TEST_F(PolarFactor, IsThePolynomialOfTheSingularValues) {
  for (const auto& [rows, columns] : kFactorShapes) {
    const auto x = at::randn({rows, columns}) * 1e-4;
    const auto [u, s, vh] = at::linalg_svd(x.to(at::kDouble), /*full_matrices=*/false);
    const auto expected = at::matmul(u * after_rounds(s / s.norm()), vh);
    const auto difference = (factor_of(x).to(at::kDouble) - expected).norm() / expected.norm();
    EXPECT_LT(difference.item<double>(), 2e-4) << rows << " x " << columns;
  }
}

TEST_F(PolarFactor, SingularValuesComeOutNearOneHoweverFarApartTheyWere) {
  const auto [u, s, vh] = at::linalg_svd(at::randn({96, 160}, at::kDouble), /*full_matrices=*/false);
  const auto spread = at::logspace(0, -2.8, 96, 10.0, at::kDouble);
  const auto x = at::matmul(u * (spread / spread.norm()), vh).to(at::kFloat);
  const auto values = std::get<1>(at::linalg_svd(factor_of(x).to(at::kDouble)));
  EXPECT_LT(values.max().item<double>(), 1.13);
  EXPECT_GT(values.slice(0, 0, 80).min().item<double>(), 0.87);  // the smallest ones are below 0.001 of the norm
}

TEST_F(PolarFactor, DoesNotDependOnTheScale) {
  const auto x = at::randn({48, 80});
  const auto expected = factor_of(x);
  for (const double scale : {1e-9, 1e-3, 1e6}) {
    EXPECT_TRUE(at::allclose(factor_of(x * scale), expected, 1e-4, 1e-4)) << scale;
  }
}

TEST_F(PolarFactor, OfZerosIsZero) {
  EXPECT_TRUE(at::equal(factor_of(at::zeros({20, 30})), at::zeros({20, 30})));
  EXPECT_TRUE(at::equal(factor_of(at::zeros({30, 20})), at::zeros({30, 20})));
}

TEST_F(PolarFactor, OfAMatrixOfRankOneHasItsDirections) {
  const auto u = at::randn({60, 1});
  const auto v = at::randn({1, 90});
  const auto factor = factor_of(at::matmul(u, v));
  const auto expected = at::matmul(u / u.norm(), v / v.norm());
  const auto size = (factor * expected).sum().item<double>();
  EXPECT_NEAR(size, 1.0, 0.13);
  EXPECT_LT((factor - expected * size).norm().item<double>(), 1e-2);
}

}  // namespace
}  // namespace translate
