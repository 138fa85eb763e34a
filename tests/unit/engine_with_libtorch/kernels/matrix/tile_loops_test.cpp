#include "kernels/matrix/tile_loops.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/processor.h"

namespace translate {
namespace {

constexpr std::int64_t kWidth = 16;
constexpr std::int64_t kTerms = 37;

class TileLoopsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_avx512_kernels()) {
      GTEST_SKIP() << "this processor has no AVX-512";
    }
    at::manual_seed(3);
  }
};

/// Three panels, side by side.
Panels panels_of(const at::Tensor& values) { return {values.const_data_ptr<float>(), 3, kTerms * kWidth, kWidth}; }

TEST_F(TileLoopsTest, AllSetsGiveTheSameProductsToTheLastBit) {
  const auto right = at::randn({3, kTerms, kWidth});
  const auto bias = at::randn({3 * kWidth});
  for (std::int64_t rows = 1; rows <= 30; ++rows) {
    const auto left = at::randn({rows, kTerms});
    for (const auto& start : {Start{}, Start{.add = true}, Start{.bias = bias.const_data_ptr<float>()}}) {
      const auto narrow = at::ones({rows, 3 * kWidth});
      const auto wide = at::ones({rows, 3 * kWidth});
      const Strided a{left.const_data_ptr<float>(), kTerms, 1};
      avx2_tile_loops().multiply(rows, kTerms, a, panels_of(right), {narrow.mutable_data_ptr<float>(), 3 * kWidth},
                                 start);
      avx512_tile_loops().multiply(rows, kTerms, a, panels_of(right), {wide.mutable_data_ptr<float>(), 3 * kWidth},
                                   start);
      EXPECT_TRUE(at::equal(narrow, wide)) << rows;
    }
  }
}

TEST_F(TileLoopsTest, AllSetsGiveTheSameProductsOfColumnsToTheLastBit) {
  const auto right = at::randn({3, kTerms, kWidth});
  const auto left = at::randn({2, kTerms, kWidth});  // two panels
  std::vector<const float*> columns;
  for (std::int64_t i = 0; i < 2 * kWidth; ++i) {
    columns.push_back(left.const_data_ptr<float>() + i / kWidth * kTerms * kWidth + i % kWidth);
  }
  for (std::int64_t rows = 1; rows <= 2 * kWidth; ++rows) {
    const auto narrow = at::ones({rows, 3 * kWidth});
    const auto wide = at::ones({rows, 3 * kWidth});
    avx2_tile_loops().multiply_columns(rows, kTerms, columns.data(), panels_of(right),
                                       {narrow.mutable_data_ptr<float>(), 3 * kWidth});
    avx512_tile_loops().multiply_columns(rows, kTerms, columns.data(), panels_of(right),
                                         {wide.mutable_data_ptr<float>(), 3 * kWidth});
    EXPECT_TRUE(at::equal(narrow, wide)) << rows;
  }
}

TEST_F(TileLoopsTest, AllSetsGiveTheSameExponentialsToTheLastBit) {
  constexpr std::int64_t kRows = 29;
  const auto right = at::randn({3, kTerms, kWidth});
  const auto left = at::randn({kRows, kTerms});
  const auto bias = at::randn({3 * kWidth});
  const auto shifts = at::randn({kRows});
  const auto compute = [&](const TileLoops& loops) {
    std::vector<at::Tensor> out{at::zeros({kRows, kSumLanes}), at::zeros({kRows, 3 * kWidth}),
                                at::zeros({3, kRows, kWidth})};
    loops.exponentiate(kRows, {.terms = kTerms,
                               .left = {left.const_data_ptr<float>(), kTerms},
                               .right = panels_of(right),
                               .bias = bias.const_data_ptr<float>(),
                               .shifts = shifts.const_data_ptr<float>(),
                               .lanes = out[0].mutable_data_ptr<float>(),
                               .is_first = true,
                               .is_last = true,
                               .logits = {nullptr, 0},
                               .rows = {out[1].mutable_data_ptr<float>(), 3 * kWidth},
                               .panels = out[2].mutable_data_ptr<float>(),
                               .to_next_panel = kRows * kWidth});
    return out;
  };
  const auto narrow = compute(avx2_tile_loops());
  const auto wide = compute(avx512_tile_loops());
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    EXPECT_TRUE(at::equal(narrow[i], wide[i])) << i;
  }
}

}  // namespace
}  // namespace translate
