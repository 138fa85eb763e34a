#include "kernels/matrix/byte_matrix.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/processor.h"
#include "unit/engine_with_libtorch/kernels/tensor_rows.h"

namespace translate {
namespace {

/// (out, in) weights as whole multiples of a 127th of the largest of each row; without VNNI also of the largest sum of
/// two neighbours.
at::Tensor rounded_weight(const at::Tensor& weight) {
  auto range = weight.abs().amax(/*dim=*/1, /*keepdim=*/true);
  if (!has_vnni_kernels() && weight.size(1) > 1) {
    const auto pairs = weight.slice(1, 0, weight.size(1) / 2 * 2).unflatten(1, {-1, 2}).sum(/*dim=*/2);
    range = at::maximum(range, pairs.abs().amax(/*dim=*/1, /*keepdim=*/true));
  }
  const auto scale = range / 127.0;
  return at::where(scale > 0, at::round(weight / scale) * scale, at::zeros({})).to(at::kDouble);
}

/// Rows in 255 steps from the least value to the largest.
at::Tensor rounded_rows(const at::Tensor& x) {
  const auto least = x.amin(1, true);
  const auto range = x.amax(1, true) - least;
  const auto bytes = at::floor((x - least) * at::where(range > 0, 255.0F / range, at::zeros({})) + 0.5F);
  return least.to(at::kDouble) + bytes.to(at::kDouble) * range.to(at::kDouble) / 255.0;
}

ByteMatrix packed(const at::Tensor& weight) {
  ByteMatrix matrix;
  matrix.resize(weight.size(1), weight.size(0));
  matrix.set_columns(rows_of(weight), 0, weight.size(0));
  return matrix;
}

/// Columns [begin, end) of x times weight^T + bias, in a tensor (rows, columns + 3) full of 5.
at::Tensor product(const at::Tensor& x, const ByteMatrix& weight, const ColumnRange& columns, const float* bias) {
  ByteRows left;
  left.set(rows_of(x), x.size(0), x.size(1));
  auto out = at::full({x.size(0), weight.columns() + 3}, 5.0F);
  multiply_bytes(x.size(0), left, weight, columns, {out.mutable_data_ptr<float>(), out.size(1)}, bias);
  return out;
}

class ByteMatrixTest : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(9); }
};

TEST_F(ByteMatrixTest, MultipliesRoundedFactorsForEveryShape) {
  for (const std::int64_t rows : {1, 2, 11, 12, 13, 100, 200}) {
    for (const std::int64_t depth : {1, 3, 4, 32, 255, 601}) {
      for (const std::int64_t columns : {1, 16, 37, 48, 64}) {
        const auto x = at::randn({rows, depth}) * at::randn({rows, 1}).exp() + at::randn({rows, 1});
        const auto weight = at::randn({columns, depth});
        const auto bias = at::randn({columns});
        const auto out = product(x, packed(weight), {0, columns}, bias.const_data_ptr<float>());
        const auto expected = at::matmul(rounded_rows(x), rounded_weight(weight).t()) + bias;
        const auto scale = x.abs().amax(1, true) * static_cast<double>(depth) + 1.0;
        // A value half-way between two steps may fall to either side of it here and there.
        const auto error = ((out.slice(1, 0, columns) - expected).abs() / scale).max().item<double>();
        EXPECT_LT(error, 0.05 / static_cast<double>(depth) + 1e-5) << rows << " x " << depth << " x " << columns;
        EXPECT_TRUE(out.slice(1, columns).eq(5.0F).all().item<bool>()) << "written beside the output";
      }
    }
  }
}

TEST_F(ByteMatrixTest, PartsAndRowsAreWhatTheyAreInTheWhole) {
  const auto x = at::randn({29, 300});
  const auto weight = packed(at::randn({90, 300}));
  const auto whole = product(x, weight, {0, 90}, nullptr);
  const auto part = product(x, weight, {48, 90}, nullptr);
  EXPECT_TRUE(at::equal(part.slice(1, 48), whole.slice(1, 48)));
  EXPECT_TRUE(part.slice(1, 0, 48).eq(5.0F).all().item<bool>());
  for (std::int64_t row = 0; row < 29; ++row) {
    EXPECT_TRUE(at::equal(product(x.slice(0, row, row + 1), weight, {0, 90}, nullptr)[0], whole[row])) << row;
  }
}

TEST_F(ByteMatrixTest, RowsOfOneValueAndTheLargestSumsAreExact) {
  constexpr std::int64_t kDepth = 4096;
  const auto ones = at::ones({16, kDepth});  // the largest sum of two products, if all bytes are 255
  const auto negative = at::full({16, kDepth}, -1.0F);
  auto x = at::cat({at::zeros({1, kDepth}), at::full({1, kDepth}, 3.0F), at::full({1, kDepth}, -3.0F)});
  x = at::cat({x, at::full({1, kDepth}, 255.0F)});
  x[3][0] = 0.0F;
  for (const auto& weight : {ones, negative}) {
    const auto out = product(x, packed(weight), {0, 16}, nullptr).slice(1, 0, 16);
    EXPECT_TRUE(out[0].eq(0).all().item<bool>());
    const auto expected = at::matmul(x.to(at::kDouble), rounded_weight(weight).t()).to(at::kFloat);
    EXPECT_TRUE(at::allclose(out, expected, 1e-6)) << out << expected;
  }
}

TEST_F(ByteMatrixTest, SumsOfNeighboursFitWhateverTheirRounding) {
  constexpr std::int64_t kDepth = 64;
  for (int step = 0; step < 127; ++step) {
    const float part = (static_cast<float>(step) + 0.3F) / 127.0F;  // of a sum that is 127 steps
    const auto weight = at::stack({at::full({kDepth / 2}, part), at::full({kDepth / 2}, 1.0F - part)}, 1).view({1, -1});
    auto x = at::full({1, kDepth}, 255.0F);
    x[0][kDepth - 1] = 0.0F;  // so that the others are rounded to 255
    const auto out = product(x, packed(weight), {0, 1}, nullptr)[0][0].item<double>();
    EXPECT_NEAR(out, at::matmul(x.to(at::kDouble), rounded_weight(weight).t()).item<double>(), 1.0) << part;
  }
}

}  // namespace
}  // namespace translate
