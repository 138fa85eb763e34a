#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/loss_kernels.h"
#include "support/factor_types.h"
#include "unit/engine_with_libtorch/kernels/tensor_rows.h"

namespace translate {
namespace {

struct Outcome {
  at::Tensor exponentials;  // (rows, classes)
  at::Tensor sums;          // (rows)
  at::Tensor weighted;      // (rows, width)
};

class ProjectedExponentials : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(5); }

  /// Rows [first, first + features.size(0)) of a matrix of 300 rows of exponentials.
  static Outcome compute(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                         const at::Tensor& shifts, std::int64_t first, FactorType type = FactorType::kFloat) {
    const auto rows = features.size(0);
    const auto width = features.size(1);
    const auto classes = weight.size(0);
    std::vector<float> whole_bias(static_cast<std::size_t>(whole_panels(classes)), kNoClass);
    std::copy_n(bias.const_data_ptr<float>(), classes, whole_bias.data());
    ProjectionFactors factors{.to_classes = PackedMatrix(type), .to_features = PackedMatrix(type), .bias = nullptr};
    pack_transposed(rows_of(weight), classes, width, factors.to_classes);
    pack(rows_of(weight), classes, width, factors.to_features);
    factors.bias = whole_bias.data();
    PackedMatrix exponentials(type);
    exponentials.resize(300, classes);
    auto weighted = at::empty({rows, whole_panels(width)});
    Outcome outcome{.exponentials = at::empty({rows, classes}), .sums = at::empty({rows}), .weighted = {}};
    project_exponentials(factors,
                         {.first = first,
                          .count = rows,
                          .features = rows_of(features),
                          .shifts = shifts.const_data_ptr<float>(),
                          .sums = outcome.sums.mutable_data_ptr<float>(),
                          .weighted_features = {weighted.mutable_data_ptr<float>(), weighted.size(1)}},
                         exponentials);
    outcome.weighted = weighted.slice(1, 0, width).contiguous();
    auto* out = outcome.exponentials.mutable_data_ptr<float>();
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < classes; ++column) {
        out[row * classes + column] = testing::value_at(exponentials, first + row, column);
      }
    }
    return outcome;
  }

  static void expect_close(const at::Tensor& actual, const at::Tensor& expected) {
    EXPECT_LT((actual - expected).norm().item<double>(), 2e-6 * expected.norm().item<double>());
  }
};

TEST_F(ProjectedExponentials, GiveExponentialsTheirSumsAndTheWeightedSumsOfWeights) {
  struct Shape {
    std::int64_t rows;
    std::int64_t width;
    std::int64_t classes;
    std::int64_t first;
  };
  for (const auto& [rows, width, classes, first] :
       {Shape{64, 32, 512, 0}, {7, 300, 33, 256}, {1, 1, 1, 9}, {50, 17, 700, 130}}) {
    const auto features = at::randn({rows, width});
    const auto weight = at::randn({classes, width}) / std::sqrt(static_cast<double>(width));
    const auto bias = at::randn({classes});
    const auto shifts = at::randn({rows});
    const auto outcome = compute(features, weight, bias, shifts, first);
    const auto logits = at::linear(features.to(at::kDouble), weight.to(at::kDouble), bias.to(at::kDouble));
    const auto expected = at::exp(logits - shifts.unsqueeze(1));
    expect_close(outcome.exponentials, expected);
    expect_close(outcome.sums, expected.sum(1));
    expect_close(outcome.weighted, at::mm(expected, weight.to(at::kDouble)));
  }
}

TEST_F(ProjectedExponentials, InBf16AreRoundedAsFactors) {
  struct Shape {
    std::int64_t rows;
    std::int64_t width;
    std::int64_t classes;
    std::int64_t first;
  };
  const auto type = FactorType::kBfloat16;
  for (const auto& [rows, width, classes, first] :
       {Shape{64, 32, 512, 0}, {7, 300, 33, 256}, {1, 1, 1, 8}, {51, 17, 700, 130}}) {
    const auto features = at::randn({rows, width});
    const auto weight = at::randn({classes, width}) / std::sqrt(static_cast<double>(width));
    const auto bias = at::randn({classes});
    const auto shifts = at::randn({rows});
    const auto outcome = compute(features, weight, bias, shifts, first, type);
    const auto rounded_weight = testing::rounded_to(type, weight);
    const auto logits = at::linear(testing::rounded_to(type, features), rounded_weight, bias.to(at::kDouble));
    const auto expected = at::exp(logits - shifts.unsqueeze(1));
    expect_close(outcome.sums, expected.sum(1));
    // Each within half a unit of the last of eight bits, and little more where the two sides round to different ones.
    EXPECT_LT(((outcome.exponentials - expected) / expected).abs().max().item<double>(), 0.00393);
    expect_close(outcome.weighted, at::mm(outcome.exponentials.to(at::kDouble), rounded_weight));
  }
}

TEST_F(ProjectedExponentials, ARowDoesNotDependOnTheOthers) {
  const auto features = at::randn({64, 40});
  const auto weight = at::randn({600, 40}) * 0.1;
  const auto bias = at::randn({600});
  const auto shifts = at::randn({64});
  const auto whole = compute(features, weight, bias, shifts, 64);
  for (const std::int64_t row : {0, 5, 6, 63}) {
    const auto alone = compute(features.slice(0, row, row + 1).contiguous(), weight, bias,
                               shifts.slice(0, row, row + 1).contiguous(), 3);
    EXPECT_TRUE(at::equal(alone.exponentials[0], whole.exponentials[row])) << row;
    EXPECT_TRUE(at::equal(alone.sums[0], whole.sums[row])) << row;
    EXPECT_TRUE(at::equal(alone.weighted[0], whole.weighted[row])) << row;
  }
}

TEST_F(ProjectedExponentials, ClampLargeLogitsAndKeepNaN) {
  const auto weight = at::tensor({1.0F, -1.0F, std::numeric_limits<float>::quiet_NaN()}).unsqueeze(1);
  const auto outcome =
      compute(at::tensor({200.0F}).unsqueeze(1), weight.slice(0, 0, 2).contiguous(), at::zeros({2}), at::zeros({1}), 0);
  EXPECT_NEAR(std::log(outcome.exponentials[0][0].item<double>()), 87.0, 1e-4);
  EXPECT_NEAR(std::log(outcome.exponentials[0][1].item<double>()), -87.0, 1e-4);
  const auto spoilt = compute(at::tensor({1.0F}).unsqueeze(1), weight, at::zeros({3}), at::zeros({1}), 0);
  EXPECT_TRUE(std::isnan(spoilt.exponentials[0][2].item<float>()));
  EXPECT_TRUE(std::isnan(spoilt.sums[0].item<float>()));
}

}  // namespace
}  // namespace translate
