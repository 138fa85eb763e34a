#include "kernels/matrix/matrix_product.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/factor_types.h"
#include "support/thread_count.h"
#include "unit/engine_with_libtorch/kernels/tensor_rows.h"

namespace translate {
namespace {

struct ProductShape {
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
};

/// Whole tiles, cut ones both ways, several blocks of depths, and the smallest of all.
constexpr ProductShape kProductShapes[] = {{96, 128, 128}, {97, 128, 384}, {7, 300, 33}, {1, 1, 1},
                                           {5, 513, 16},   {13, 37, 5},    {50, 7, 80}};

void expect_close(const at::Tensor& actual, const at::Tensor& expected) {
  EXPECT_LT((actual - expected).norm().item<double>(), 1e-6 * expected.norm().item<double>() + 1e-12);
}

class MatrixProduct : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(3); }
};

TEST_F(MatrixProduct, TimesTransposedWeightsWithBias) {
  for (const auto type : testing::kFactorTypes) {
    for (const auto& [rows, depth, columns] : kProductShapes) {
      const auto x = at::randn({rows, depth});
      const auto weight = at::randn({columns, depth});
      const auto bias = at::randn({columns});
      const auto out = at::empty({rows, columns});
      PackedMatrix packed(type);
      pack_transposed(rows_of(weight), columns, depth, packed);
      multiply(rows, rows_of(x), packed, output_rows(out), bias.const_data_ptr<float>());
      expect_close(out,
                   at::linear(testing::rounded_to(type, x), testing::rounded_to(type, weight), bias.to(at::kDouble)));
    }
  }
}

TEST_F(MatrixProduct, TimesWeightsPackedByRows) {
  for (const auto type : testing::kFactorTypes) {
    for (const auto& [rows, depth, columns] : kProductShapes) {
      const auto x = at::randn({rows, depth});
      const auto weight = at::randn({depth, columns});
      const auto out = at::empty({rows, columns});
      PackedMatrix packed(type);
      pack(rows_of(weight), depth, columns, packed);
      multiply(rows, rows_of(x), packed, output_rows(out));
      expect_close(out, at::mm(testing::rounded_to(type, x), testing::rounded_to(type, weight)));
    }
  }
}

TEST_F(MatrixProduct, PartsOfATransposedProductMakeTheWhole) {
  for (const auto type : testing::kFactorTypes) {
    for (const auto& [rows, depth, columns] : kProductShapes) {
      const auto gradients = at::randn({depth, rows});
      const auto inputs = at::randn({depth, columns});
      const auto out = at::zeros({rows, columns});
      PackedMatrix left(type);
      PackedMatrix right(type);
      pack(rows_of(gradients), depth, rows, left);
      pack(rows_of(inputs), depth, columns, right);
      const auto row = std::min((rows / 2 / kPanelWidth + 1) * kPanelWidth, rows);
      const auto column = std::min(kPanelWidth, columns);
      for (const auto& part : {MatrixBlock{0, row, 0, column}, MatrixBlock{row, rows, 0, column},
                               MatrixBlock{0, row, column, columns}, MatrixBlock{row, rows, column, columns}}) {
        float* first = out.mutable_data_ptr<float>() + part.row_begin * columns + part.column_begin;
        multiply_transposed(left, right, part, {first, columns});
      }
      expect_close(out, at::mm(testing::rounded_to(type, gradients).t(), testing::rounded_to(type, inputs)));
    }
  }
}

TEST_F(MatrixProduct, ARowDoesNotDependOnTheOthersNorOnThreads) {
  const auto x = at::randn({41, 130});
  const auto weight = at::randn({70, 130});
  for (const auto type : testing::kFactorTypes) {
    PackedMatrix packed(type);
    const auto whole = testing::on_threads(1, [&] {
      pack_transposed(rows_of(weight), 70, 130, packed);
      const auto out = at::empty({41, 70});
      multiply(41, rows_of(x), packed, output_rows(out));
      return out;
    });
    pack_transposed(rows_of(weight), 70, 130, packed);
    for (std::int64_t row = 0; row < 41; ++row) {
      const auto alone = at::empty({1, 70});
      multiply(1, {x.const_data_ptr<float>() + row * 130, 130}, packed, output_rows(alone));
      EXPECT_TRUE(at::equal(alone[0], whole[row])) << row;
    }
  }
}

TEST_F(MatrixProduct, SmallProductsTakeATransposedLeftFactor) {
  const auto left = at::randn({11, 23});
  const auto right = at::randn({23, 32});
  const auto expected = at::mm(left, right);
  const auto out = at::empty({11, 32});
  multiply_small({11, 32, 23}, {left.const_data_ptr<float>(), 23, 1}, {right.const_data_ptr<float>(), kPanelWidth, 32},
                 output_rows(out));
  expect_close(out, expected);
  const auto turned = left.t().contiguous();
  multiply_small({11, 32, 23}, {turned.const_data_ptr<float>(), 1, 11},
                 {right.const_data_ptr<float>(), kPanelWidth, 32}, output_rows(out));
  expect_close(out, expected);
}

}  // namespace
}  // namespace translate
