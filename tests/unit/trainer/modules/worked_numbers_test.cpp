// Numbers that anyone can compute in PyTorch, through the modules as they are.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "modules/masks.h"
#include "modules/multi_head_attention_block.h"
#include "modules/transformer.h"
#include "support/golden_case.h"

namespace translate::trainer {
namespace {

using testing::relative_distance;

ModelOptions worked_options() {
  ModelOptions options;
  options.d_model = 32;
  options.num_heads = 4;
  options.d_ff = 64;
  options.encoder_layers = 2;
  options.decoder_layers = 1;
  options.dropout = 0.0;
  return options;
}

/// A row's first values.
void expect_begins(const at::Tensor& row, std::initializer_list<double> expected, double tolerance = 5e-5) {
  std::int64_t i = 0;
  for (const double value : expected) {
    EXPECT_NEAR(row[i++].item<double>(), value, tolerance);
  }
}

TEST(WorkedNumbers, RandomStateAfterSeedForty) {
  const at::NoGradGuard no_grad;
  at::manual_seed(40);
  const auto x = at::randn({6, 512});
  expect_begins(x[0], {-0.2367, 1.8109, 0.1966});
  expect_begins(x[5].slice(0, 509, 512), {-0.1643, -1.4237, 1.1242});
  const auto product = at::matmul(x, x.transpose(0, 1));
  expect_begins(product[0], {503.2782, 30.9015}, 1e-3);

  ModelOptions options;
  options.embedding_scale = false;
  InputEmbeddings embed(options, describe_parameters(options, {.source = 50257}).src_embed);
  const auto rows = embed(at::tensor({1212, 318, 257, 10586}, at::kLong).view({1, 4}));
  EXPECT_EQ(rows.sizes(), (std::vector<std::int64_t>{1, 4, 512}));
  expect_begins(rows[0][0], {0.8884, 3.1415, -0.7241});
  expect_begins(rows[0][1], {0.6572, -1.5998, 1.3872});
  expect_begins(rows[0][2], {0.5262, 0.3106, -0.4733});
  expect_begins(rows[0][3], {-0.7888, 1.1974, -2.1260});

  EXPECT_TRUE(at::equal(x, testing::golden_tensor("random_state", "randn")));
  EXPECT_TRUE(at::equal(rows, testing::golden_tensor("random_state", "embedding")));
  EXPECT_LE(relative_distance(product, testing::golden_tensor("random_state", "product")), 1e-6);
}

TEST(WorkedNumbers, OneLinearPerHeadEqualsTheJointProjections) {
  const at::NoGradGuard no_grad;
  at::manual_seed(8);
  const auto options = worked_options();
  const auto d_k = options.d_model / options.num_heads;
  MultiHeadAttentionBlock block(options, testing::attention_parameters(options));
  const auto x = at::randn({3, 6, options.d_model});
  const auto mask = causal_mask(6, at::kCPU);
  std::vector<at::Tensor> heads;
  for (std::int64_t head = 0; head < options.num_heads; ++head) {
    const auto of_head = [&](torch::nn::Linear& joint) {
      torch::nn::Linear linear(torch::nn::LinearOptions(options.d_model, d_k).bias(false));
      linear->weight.copy_(joint->weight.slice(0, head * d_k, (head + 1) * d_k));
      return linear(x).unsqueeze(1);  // (batch, 1, length, d_k)
    };
    heads.push_back(attention(of_head(block->w_q), {.key = of_head(block->w_k), .value = of_head(block->w_v)}, mask));
  }
  const auto joined = MultiHeadAttentionBlockImpl::join_heads(at::cat(heads, 1));
  EXPECT_LE(relative_distance(block->w_o(joined), block(x, x, x, mask)), 1e-6);
}

TEST(WorkedNumbers, SoftmaxOfThreeScores) {
  // Keys of one column: the scores are the keys themselves.
  const auto query = at::ones({1, 1, 1, 1});
  const auto key = at::tensor({0.1, 2.3, 0.5}, at::kFloat).view({1, 1, 3, 1});
  expect_begins(attention_weights(query, key, {})[0][0][0], {0.0868, 0.7836, 0.1295});
}

TEST(WorkedNumbers, WithoutPositionsOrderDoesNotMatter) {
  const at::NoGradGuard no_grad;
  const auto the_cat_sat = at::tensor({7, 8, 9}, at::kLong).view({1, 3});
  const auto order = at::tensor({2, 0, 1}, at::kLong);  // sat the cat
  const auto encode = [&](PositionKind positions, const at::Tensor& ids) {
    at::manual_seed(5);
    auto options = worked_options();
    options.positions = positions;
    auto model = build_transformer(options, {.source = 12, .target = 12, .source_pad = 3, .target_pad = 3});
    model->eval();
    return model->encode(ids, padding_mask(ids, 3));  // (1, 3, d_model)
  };
  const auto permuted = the_cat_sat.index_select(1, order);
  EXPECT_LE(relative_distance(encode(PositionKind::kNone, permuted),
                              encode(PositionKind::kNone, the_cat_sat).index_select(1, order)),
            1e-6);
  EXPECT_GT(relative_distance(encode(PositionKind::kSinusoidal, permuted),
                              encode(PositionKind::kSinusoidal, the_cat_sat).index_select(1, order)),
            1e-2);
}

TEST(WorkedNumbers, WhatIsAddedDependsOnThePositionAlone) {
  const at::NoGradGuard no_grad;
  auto options = worked_options();
  PositionalEncoding positions(options, describe_parameters(options, {}).src_pos);
  const auto zeros = positions(at::zeros({1, 5, options.d_model}));
  const auto x = at::randn({2, 5, options.d_model});
  EXPECT_TRUE(at::allclose(positions(x) - x, zeros.expand({2, -1, -1}), 0.0, 1e-6));
  EXPECT_TRUE(at::equal(zeros[0][0], at::tensor({0.0F, 1.0F}).repeat({options.d_model / 2})));
}

}  // namespace
}  // namespace translate::trainer
