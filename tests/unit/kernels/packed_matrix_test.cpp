#include "translate/kernels/packed_matrix.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <utility>

#include "translate/kernels/cpu_features.h"

namespace translate {
namespace {

ConstRows rows_of(const at::Tensor& x) { return {x.const_data_ptr<float>(), x.size(1)}; }

/// The factor as a matrix again, (depth, whole panels).
at::Tensor unpacked(const PackedMatrix& packed) {
  auto matrix = at::empty({packed.depth(), whole_panels(packed.columns())});
  for (std::int64_t row = 0; row < packed.depth(); ++row) {
    const auto block = row / kDepthBlock * kDepthBlock;
    for (std::int64_t column = 0; column < matrix.size(1); column += kPanelWidth) {
      const float* values = packed.panel(block, column) + (row - block) * kPanelWidth;
      matrix[row].slice(0, column, column + kPanelWidth).copy_(at::tensor(at::ArrayRef<float>(values, kPanelWidth)));
    }
  }
  return matrix;
}

class PackedMatrixTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_vector_kernels()) {
      GTEST_SKIP() << "this processor has no AVX2";
    }
    at::manual_seed(3);
  }
};

TEST_F(PackedMatrixTest, HoldsTheMatrixAndFillsTheLastPanelWithZeros) {
  for (const auto& [depth, columns] : {std::pair<std::int64_t, std::int64_t>{5, 16}, {300, 33}, {513, 7}, {1, 1}}) {
    const auto matrix = at::randn({depth, columns});
    PackedMatrix packed;
    pack(rows_of(matrix), depth, columns, packed);
    EXPECT_EQ(packed.depth(), depth);
    EXPECT_EQ(packed.columns(), columns);
    EXPECT_TRUE(at::equal(unpacked(packed).slice(1, 0, columns), matrix));
    EXPECT_TRUE(unpacked(packed).slice(1, columns).eq(0).all().item<bool>());
    const auto turned = matrix.t().contiguous();
    pack_transposed(rows_of(turned), columns, depth, packed);
    EXPECT_TRUE(at::equal(unpacked(packed).slice(1, 0, columns), matrix));
    EXPECT_TRUE(unpacked(packed).slice(1, columns).eq(0).all().item<bool>());
  }
}

TEST_F(PackedMatrixTest, APanelHoldsRowsAsColumns) {
  const auto rows = at::randn({16, 21});
  for (const std::int64_t count : {16, 15, 1}) {
    const auto panel = at::full({21, kPanelWidth}, -1.0F);
    transpose_to_panel(rows_of(rows), count, 21, panel.mutable_data_ptr<float>());
    EXPECT_TRUE(at::equal(panel.slice(1, 0, count), rows.slice(0, 0, count).t()));
    EXPECT_TRUE(panel.slice(1, count).eq(0).all().item<bool>());
  }
}

}  // namespace
}  // namespace translate
