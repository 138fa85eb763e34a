#include "kernels/cached_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace translate {
namespace {

class CachedAttention : public ::testing::Test {};

TEST_F(CachedAttention, IsSoftmaxOfScaledScoresTimesValuesForEveryShape) {
  at::manual_seed(5);
  for (const auto& [heads, width] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 8}, {4, 32}, {8, 64}, {3, 16}, {9, 8}, {2, 5}, {5, 12}, {16, 64}}) {
    for (const std::int64_t count : {1, 2, 7, 40}) {
      const auto d = heads * width;
      const auto stride = 2 * d + 3;
      const auto memory = at::randn({60, stride});
      const auto query = at::randn({d});
      std::vector<std::int32_t> index;
      for (std::int64_t j = 0; j < count; ++j) {
        index.push_back(static_cast<std::int32_t>((j * 37 + 11) % 60));
      }
      const auto picked = memory.index_select(0, at::tensor(index, at::kInt).to(at::kLong));
      const auto keys = picked.slice(1, 0, d).view({count, heads, width}).transpose(0, 1);
      const auto values = picked.slice(1, d, 2 * d).view({count, heads, width}).transpose(0, 1);
      const auto weights = at::softmax(
          at::matmul(keys, query.view({heads, width, 1})).squeeze(2) / std::sqrt(static_cast<double>(width)), 1);
      const auto expected = at::matmul(weights.unsqueeze(1), values).reshape({d});

      const HeadShape shape{heads, width};
      std::vector<float> kept(static_cast<std::size_t>(count * shape.weight_stride()), 7.0F);
      const auto out = at::empty({d});
      const CachedRows<float> rows{memory.const_data_ptr<float>(), stride, d, index.data(), count};
      attend_to_cache(shape, query.const_data_ptr<float>(), rows, kept.data(), out.mutable_data_ptr<float>());
      EXPECT_LT((out - expected).abs().max().item<float>(), 2e-6F) << heads << " x " << width << ", " << count;
      for (std::int64_t j = 0; j < count; ++j) {
        for (std::int64_t head = 0; head < heads; ++head) {
          EXPECT_NEAR(kept[static_cast<std::size_t>(j * shape.weight_stride() + head)], weights[head][j].item<float>(),
                      1e-6F);
        }
      }
    }
  }
}

TEST_F(CachedAttention, RowsMayFollowOneAnother) {
  const auto memory = at::randn({6, 32});
  const auto query = at::randn({16});
  const std::vector<std::int32_t> index = {0, 1, 2, 3, 4, 5};
  const HeadShape shape{2, 8};
  std::vector<float> weights(static_cast<std::size_t>(6 * shape.weight_stride()));
  const auto with = at::empty({16});
  const auto without = at::empty({16});
  const CachedRows<float> indexed{memory.const_data_ptr<float>(), 32, 16, index.data(), 6};
  const CachedRows<float> in_order{memory.const_data_ptr<float>(), 32, 16, nullptr, 6};
  attend_to_cache(shape, query.const_data_ptr<float>(), indexed, weights.data(), with.mutable_data_ptr<float>());
  attend_to_cache(shape, query.const_data_ptr<float>(), in_order, weights.data(), without.mutable_data_ptr<float>());
  EXPECT_TRUE(at::equal(with, without));
}

/// Numbers of 16 bits are read as what they are: the same sums as of floats that need no more bits.
TEST_F(CachedAttention, ReadsHalfPrecisionExactly) {
  for (const std::int64_t head_width : {5, 8, 32, 64}) {
    const auto d = 4 * head_width;
    const auto memory = at::randn({9, 2 * d}).to(at::kHalf).to(at::kFloat);
    const auto query = at::randn({d});
    std::vector<Half> halves(static_cast<std::size_t>(memory.numel()));
    round_to_half(memory.const_data_ptr<float>(), memory.numel(), halves.data());
    const HeadShape shape{4, head_width};
    std::vector<float> weights(static_cast<std::size_t>(9 * shape.weight_stride()));
    const auto of_floats = at::empty({d});
    const auto of_halves = at::empty({d});
    const CachedRows<float> floats{memory.const_data_ptr<float>(), 2 * d, d, nullptr, 9};
    const CachedRows<Half> rows{halves.data(), 2 * d, d, nullptr, 9};
    attend_to_cache(shape, query.const_data_ptr<float>(), floats, weights.data(), of_floats.mutable_data_ptr<float>());
    attend_to_cache(shape, query.const_data_ptr<float>(), rows, weights.data(), of_halves.mutable_data_ptr<float>());
    EXPECT_TRUE(at::allclose(of_floats, of_halves, /*rtol=*/0.0, /*atol=*/1e-6)) << head_width;
  }
}

TEST_F(CachedAttention, HalfPrecisionRoundsToTheNearestAndNeverToInfinity) {
  const auto values = at::cat({at::randn({37}) * 100, at::tensor({1e6F, -1e6F, 0.0F})});
  std::vector<Half> halves(static_cast<std::size_t>(values.numel()));
  round_to_half(values.const_data_ptr<float>(), values.numel(), halves.data());
  const auto back = at::from_blob(halves.data(), {values.numel()}, at::kHalf).to(at::kFloat);
  EXPECT_TRUE(at::equal(back, values.clamp(-65504.0, 65504.0).to(at::kHalf).to(at::kFloat)));
}

}  // namespace
}  // namespace translate
