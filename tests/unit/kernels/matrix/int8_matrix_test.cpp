#include "kernels/matrix/int8_matrix.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/processor.h"

namespace translate {
namespace {

ConstRows rows_of(const at::Tensor& x) { return {x.const_data_ptr<float>(), x.size(1)}; }

/// (out, in) weights rounded as the matrix does.
at::Tensor rounded(const at::Tensor& weight) {
  const auto scale = weight.abs().amax(/*dim=*/1, /*keepdim=*/true) / 127.0;
  return at::where(scale > 0, at::round(weight / scale) * scale, at::zeros({}));
}

class Int8MatrixTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_vector_kernels()) {
      GTEST_SKIP() << "this processor lacks AVX2 and FMA";
    }
    at::manual_seed(9);
  }
};

TEST_F(Int8MatrixTest, MultipliesByRoundedWeightsForEveryShape) {
  for (const std::int64_t rows : {1, 2, 5, 6, 7, 100, 200}) {
    for (const std::int64_t depth : {1, 7, 32, 255, 256, 300, 601}) {
      for (const std::int64_t columns : {1, 16, 37, 64}) {
        const auto x = at::randn({rows, depth}) * at::randn({rows, 1}).exp();
        const auto weight = at::randn({columns, depth});
        const auto bias = at::randn({columns});
        Int8Matrix packed;
        packed.resize(depth, columns);
        packed.set_columns(rows_of(weight), 0, columns);
        Int16Rows left;
        left.set(rows_of(x), rows, depth);
        const auto out = at::full({rows, columns + 3}, 5.0F);
        multiply_int8(rows, left, packed, {0, columns}, {out.mutable_data_ptr<float>(), columns + 3},
                      bias.const_data_ptr<float>());
        const auto expected = at::matmul(x, rounded(weight).t()) + bias;
        const auto scale = x.abs().amax(1, true) * weight.abs().amax() * static_cast<double>(depth);
        const auto error = ((out.slice(1, 0, columns) - expected) / (scale + 1e-6)).abs().max().item<float>();
        EXPECT_LT(error, 4e-5F) << rows << " x " << depth << " x " << columns;
        EXPECT_TRUE(out.slice(1, columns).eq(5.0F).all().item<bool>()) << "written beside the output";
      }
    }
  }
}

TEST_F(Int8MatrixTest, PartsAndRowsAreWhatTheyAreInTheWhole) {
  const auto x = at::randn({23, 300});
  const auto weight = at::randn({80, 300});
  Int8Matrix packed;
  packed.resize(300, 80);
  packed.set_columns(rows_of(weight), 0, 48);
  packed.set_columns(rows_of(weight.slice(0, 48)), 48, 32);
  Int16Rows left;
  left.set(rows_of(x), 23, 300);
  const auto whole = at::empty({23, 80});
  multiply_int8(23, left, packed, {0, 80}, {whole.mutable_data_ptr<float>(), 80});
  const auto parts = at::zeros({23, 80});
  multiply_int8(23, left, packed, {48, 80}, {parts.mutable_data_ptr<float>(), 80});
  EXPECT_TRUE(at::equal(parts.slice(1, 48), whole.slice(1, 48)));
  EXPECT_TRUE(parts.slice(1, 0, 48).eq(0).all().item<bool>());
  for (std::int64_t row = 0; row < 23; ++row) {
    Int16Rows one;
    one.set({x.const_data_ptr<float>() + row * 300, 300}, 1, 300);
    const auto alone = at::empty({1, 80});
    multiply_int8(1, one, packed, {0, 80}, {alone.mutable_data_ptr<float>(), 80});
    EXPECT_TRUE(at::equal(alone[0], whole[row])) << row;
  }
}

TEST_F(Int8MatrixTest, ZerosStayZerosAndTheLargestSumsFit) {
  const auto ones = at::ones({16, 256});
  Int8Matrix packed;
  packed.resize(256, 16);
  packed.set_columns(rows_of(ones), 0, 16);
  const auto x = at::cat({at::zeros({1, 256}), at::full({1, 256}, 3.0F), at::full({1, 256}, -3.0F)});
  Int16Rows left;
  left.set(rows_of(x), 3, 256);
  const auto out = at::empty({3, 16});
  multiply_int8(3, left, packed, {0, 16}, {out.mutable_data_ptr<float>(), 16});
  EXPECT_TRUE(out[0].eq(0).all().item<bool>());
  EXPECT_TRUE(at::allclose(out[1], at::full({16}, 768.0F)));
  EXPECT_TRUE(at::allclose(out[2], at::full({16}, -768.0F)));
}

}  // namespace
}  // namespace translate
