#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "modules/embeddings.h"
#include "modules/masks.h"
#include "modules/multi_head_attention_block.h"
#include "support/golden_case.h"

namespace translate::trainer {
namespace {

using testing::relative_distance;

ModelOptions options_of(std::int64_t d_model, std::int64_t heads) {
  ModelOptions options;
  options.d_model = d_model;
  options.num_heads = heads;
  options.dropout = 0.0;
  return options;
}

TEST(Masks, AreTrueWhereAttentionIsAllowed) {
  const auto ids = at::tensor({5, 6, 3, 7, 3, 3}, at::kLong).view({2, 3});
  EXPECT_TRUE(at::equal(padding_mask(ids, 3), at::tensor({1, 1, 0, 1, 0, 0}).to(at::kBool).view({2, 1, 1, 3})));
  EXPECT_TRUE(
      at::equal(causal_mask(3, at::kCPU), at::tensor({1, 0, 0, 1, 1, 0, 1, 1, 1}).to(at::kBool).view({1, 1, 3, 3})));
  const auto both = decoder_mask(ids, 3);
  EXPECT_EQ(both.sizes(), (std::vector<std::int64_t>{2, 1, 3, 3}));
  EXPECT_TRUE(at::equal(both[0][0], at::tensor({1, 0, 0, 1, 1, 0, 1, 1, 0}).to(at::kBool).view({3, 3})));
}

TEST(Attention, WorkedExampleWithACausalMask) {
  const auto x = at::tensor({1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1}, at::kFloat).view({1, 1, 4, 4});
  const auto weights = attention_weights(x, x, causal_mask(4, at::kCPU));
  const auto expected = at::tensor({1.0, 0.0, 0.0, 0.0, 0.2689, 0.7311, 0.0, 0.0, 0.2119, 0.2119, 0.5761, 0.0, 0.1888,
                                    0.1888, 0.3112, 0.3112},
                                   at::kFloat)
                            .view({1, 1, 4, 4});
  EXPECT_TRUE(at::allclose(weights, expected, 0.0, 1e-4));
  EXPECT_EQ(weights[0][0][0][1].item<float>(), 0.0F);  // exactly
}

TEST(Attention, ARowWithNothingToAttendToIsZeroOnEveryPath) {
  auto options = options_of(8, 2);
  const auto x = at::randn({1, 3, 8});
  const auto mask = at::zeros({1, 1, 1, 3}, at::kBool);
  const auto heads = at::randn({1, 2, 3, 4});
  EXPECT_TRUE(at::equal(attention_weights(heads, heads, mask), at::zeros({1, 2, 3, 3})));
  for (const double dropout : {0.0, 0.5}) {
    options.dropout = dropout;
    MultiHeadAttentionBlock block(options, testing::attention_parameters(options));
    EXPECT_TRUE(at::equal(block(x, x, x, mask), at::zeros({1, 3, 8}))) << dropout;
  }
}

TEST(Attention, FusedAndPlainPathsAgree) {
  const auto options = options_of(32, 4);
  MultiHeadAttentionBlock block(options, testing::attention_parameters(options));
  const auto x = at::randn({3, 7, 32});
  auto mask = at::ones({3, 1, 1, 7}, at::kBool);
  mask[1].slice(-1, 4, 7).fill_(false);
  const auto query = block->split_heads(block->w_q(x));
  const auto [key, value] = block->project_key_value(x, x);
  const auto plain =
      block->w_o(MultiHeadAttentionBlockImpl::join_heads(at::matmul(attention_weights(query, key, mask), value)));
  EXPECT_LE(relative_distance(block(x, x, x, mask).detach(), plain.detach()), 1e-6);
}

TEST(Attention, UpToTheQueryNeedsNoMask) {
  const auto heads = at::randn({2, 3, 6, 4});
  const KeyValue key_value{.key = at::randn({2, 3, 6, 4}), .value = at::randn({2, 3, 6, 4})};
  const auto masked = attention(heads, key_value, causal_mask(6, at::kCPU));
  const auto open = attention(heads, key_value, /*mask=*/{});
  EXPECT_GT(relative_distance(open, masked), 0.1);
  const auto causal = AttentionPattern::up_to_the_query();
  EXPECT_LE(relative_distance(attention(heads, key_value, causal), masked), 1e-6);
  Dropout dropout(0.5);
  at::manual_seed(4);
  const auto dropped = attention(heads, key_value, causal, dropout);
  at::manual_seed(4);
  EXPECT_TRUE(at::equal(dropped, attention(heads, key_value, causal_mask(6, at::kCPU), dropout)));
}

TEST(Attention, LibraryAttentionDropsWeightsAndKeepsTheirMean) {
  at::manual_seed(8);
  const auto query = at::randn({1, 2, 5, 4});
  // With the unit matrix for values the output is the weights.
  const KeyValue key_value{.key = at::randn({1, 2, 5, 4}), .value = at::eye(5).expand({1, 2, 5, 5})};
  const auto mask = causal_mask(5, at::kCPU);
  const auto weights = attention_weights(query, key_value.key, mask);
  EXPECT_LE(relative_distance(library_attention(query, key_value, mask, 0.0), weights), 1e-6);
  auto sum = at::zeros_like(weights);
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    const auto drawn = library_attention(query, key_value, mask, 0.25);
    sum += drawn;
    if (i == 0) {
      EXPECT_TRUE(at::allclose(drawn, at::where(drawn.eq(0), drawn, weights / 0.75), 1e-5, 1e-7));
      EXPECT_TRUE(drawn.eq(0).logical_and(weights.ne(0)).any().item<bool>());
    }
  }
  EXPECT_TRUE(at::allclose(sum / kDraws, weights, 0.0, 0.05));  // 5 standard deviations and more
}

TEST(Attention, HeadsJoinInOrder) {
  // Head h holds rows [h.0, h.1] and [h.2, h.3].
  const auto heads =
      at::tensor({0.0, 0.1, 0.2, 0.3, 1.0, 1.1, 1.2, 1.3, 2.0, 2.1, 2.2, 2.3}, at::kDouble).view({1, 3, 2, 2});
  const auto expected =
      at::tensor({0.0, 0.1, 1.0, 1.1, 2.0, 2.1, 0.2, 0.3, 1.2, 1.3, 2.2, 2.3}, at::kDouble).view({1, 2, 6});
  const auto joined = MultiHeadAttentionBlockImpl::join_heads(heads);
  EXPECT_TRUE(at::equal(joined, expected));
  const auto options = options_of(6, 3);
  const MultiHeadAttentionBlock block(options, testing::attention_parameters(options));
  EXPECT_TRUE(at::equal(block->split_heads(joined), heads));
}

TEST(Positions, FollowTheFormula) {
  const auto table = sinusoidal_positions(50, 12)[0];
  for (const std::int64_t position : {0, 1, 7, 49}) {
    for (std::int64_t i = 0; i < 6; ++i) {
      const auto angle = static_cast<double>(position) * std::pow(10000.0, -2.0 * static_cast<double>(i) / 12.0);
      EXPECT_NEAR(table[position][2 * i].item<double>(), std::sin(angle), 1e-5);
      EXPECT_NEAR(table[position][2 * i + 1].item<double>(), std::cos(angle), 1e-5);
    }
  }
}

/// Marian's: all sines, then all cosines, at Tensor2Tensor's rates.
TEST(Positions, InHalvesFollowTheFormula) {
  ModelOptions options;
  options.d_model = 12;
  options.sinusoid_layout = SinusoidLayout::kHalves;
  options.sinusoid_frequencies = SinusoidFrequencies::kTensor2Tensor;
  const auto table = sinusoidal_positions(50, Sinusoids(options))[0];
  for (const std::int64_t position : {0, 1, 7, 49}) {
    for (std::int64_t i = 0; i < 6; ++i) {
      const auto angle = static_cast<double>(position) * std::pow(10000.0, -static_cast<double>(i) / 5.0);
      EXPECT_NEAR(table[position][i].item<double>(), std::sin(angle), 1e-5);
      EXPECT_NEAR(table[position][6 + i].item<double>(), std::cos(angle), 1e-5);
    }
  }
}

TEST(Positions, OfTwoColumnsHaveOneRate) {
  ModelOptions options;
  options.d_model = 2;
  options.sinusoid_frequencies = SinusoidFrequencies::kTensor2Tensor;
  EXPECT_TRUE(at::allclose(sinusoidal_positions(5, Sinusoids(options)), sinusoidal_positions(5, 2)));
}

TEST(Masks, ATargetThatBeginsWithPaddingSeesItsStart) {
  const auto ids = at::tensor({9, 4, 5, 9}, at::kLong).unsqueeze(0);  // 9: sos and padding
  const auto mask = decoder_mask(ids, /*pad=*/9)[0][0];
  const auto expected = at::tensor({1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0}, at::kLong).view({4, 4});
  EXPECT_TRUE(at::equal(mask.to(at::kLong), expected));
}

TEST(Positions, GoOnPastTheTableAndByOffset) {
  auto options = options_of(8, 2);
  options.max_positions = 4;
  PositionalEncoding encoding(options, describe_parameters(options, {}).src_pos);
  encoding->eval();
  const auto all = encoding(at::zeros({1, 11, 8}));
  EXPECT_TRUE(at::allclose(all, sinusoidal_positions(11, 8)));
  EXPECT_TRUE(at::allclose(encoding(at::zeros({1, 1, 8}), /*offset=*/9), all.slice(1, 9, 10)));
}

}  // namespace
}  // namespace translate::trainer
