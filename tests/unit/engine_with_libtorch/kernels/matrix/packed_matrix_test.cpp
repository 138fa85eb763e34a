#include "kernels/matrix/packed_matrix.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <utility>

#include "support/factor_types.h"
#include "unit/engine_with_libtorch/kernels/tensor_rows.h"

namespace translate {
namespace {

/// The factor as a matrix again, (depth, whole panels); in bf16 of an odd depth with the row that fills the last terms.
at::Tensor unpacked(const PackedMatrix& packed) {
  const auto rows_a_term = packed.type() == FactorType::kBfloat16 ? 2 : 1;
  auto matrix = at::empty({terms_of(packed.depth(), packed.type()) * rows_a_term, whole_panels(packed.columns())});
  for (std::int64_t row = 0; row < matrix.size(0); ++row) {
    for (std::int64_t column = 0; column < matrix.size(1); ++column) {
      matrix[row][column] = testing::value_at(packed, row, column);
    }
  }
  return matrix;
}

at::Tensor rounded(FactorType type, const at::Tensor& x) { return testing::rounded_to(type, x).to(at::kFloat); }

class PackedMatrixTest : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(3); }
};

TEST_F(PackedMatrixTest, HoldsTheMatrixAndFillsTheLastPanelWithZeros) {
  for (const auto type : testing::kFactorTypes) {
    for (const auto& [depth, columns] : {std::pair<std::int64_t, std::int64_t>{5, 16}, {300, 33}, {513, 7}, {1, 1}}) {
      const auto matrix = at::randn({depth, columns});
      const auto expect_held = [&, depth = depth, columns = columns](const PackedMatrix& packed) {
        const auto held = unpacked(packed);
        EXPECT_TRUE(at::equal(held.slice(0, 0, depth).slice(1, 0, columns), rounded(type, matrix)));
        EXPECT_TRUE(held.slice(1, columns).eq(0).all().item<bool>());
        EXPECT_TRUE(held.slice(0, depth).eq(0).all().item<bool>());
      };
      PackedMatrix packed(type);
      pack(rows_of(matrix), depth, columns, packed);
      EXPECT_EQ(packed.depth(), depth);
      EXPECT_EQ(packed.columns(), columns);
      expect_held(packed);
      const auto turned = matrix.t().contiguous();
      pack_transposed(rows_of(turned), columns, depth, packed);
      expect_held(packed);
    }
  }
}

TEST_F(PackedMatrixTest, TakesRowsInAnyChunks) {
  const auto matrix = at::randn({301, 20});
  for (const auto type : testing::kFactorTypes) {
    PackedMatrix packed(type);
    packed.resize(301, 20);
    const std::int64_t bounds[] = {0, 1, 2, 7, 8, 255, 259, 300, 301};
    for (const std::size_t i : {7, 2, 0, 5, 1, 3, 6, 4}) {  // in no order
      packed.set_rows(bounds[i], bounds[i + 1] - bounds[i], {matrix.const_data_ptr<float>() + bounds[i] * 20, 20});
    }
    EXPECT_TRUE(at::equal(unpacked(packed).slice(0, 0, 301).slice(1, 0, 20), rounded(type, matrix)));
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
