#include "fused/attention_unit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "support/distance.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {
namespace {

constexpr std::int64_t kUnitWidth = 24;
constexpr std::int64_t kUnitHeads = 3;

/// Attention of one sentence by plain operators: (T, d), (S, d), (S, d) -> (T, d).
at::Tensor attend_plainly(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, bool causal) {
  const auto heads = [](const at::Tensor& x) {
    return x.view({x.size(0), kUnitHeads, -1}).transpose(0, 1);  // (heads, length, d_k)
  };
  auto scores = at::matmul(heads(query), heads(key).transpose(1, 2)) /
                std::sqrt(static_cast<double>(kUnitWidth / kUnitHeads));  // (heads, T, S)
  if (causal) {
    scores = scores.masked_fill(at::ones_like(scores).tril().logical_not(), -1e30);
  }
  return at::matmul(at::softmax(scores, -1), heads(value)).transpose(0, 1).reshape({query.size(0), kUnitWidth});
}

/// Reads the projections from rows in which queries, keys and values have the strides of `of`.
AttentionInput read_rows(const AttentionGradients& of) {
  return {{of.query.data, of.query.stride}, {of.key.data, of.key.stride}, {of.value.data, of.value.stride}};
}

/// The unit on all chunks of the pattern, against plain operators sentence by sentence.
void expect_plain_attention(const AttentionPattern& pattern) {
  const auto query = at::randn({pattern.queries->rows(), kUnitWidth}).requires_grad_();
  const auto key_value = at::randn({pattern.keys->rows(), 2 * kUnitWidth}).requires_grad_();
  std::vector<at::Tensor> outputs;
  for (std::int64_t i = 0; i < pattern.queries->sentences(); ++i) {
    const auto own = key_value.slice(0, pattern.keys->offset(i), pattern.keys->offset(i + 1)).split(kUnitWidth, 1);
    const auto own_query = query.slice(0, pattern.queries->offset(i), pattern.queries->offset(i + 1));
    outputs.push_back(attend_plainly(own_query, own[0].contiguous(), own[1].contiguous(), pattern.causal));
  }
  const auto expected = at::cat(outputs);
  const auto gradient = at::randn(expected.sizes());
  expected.backward(gradient);

  const AttentionUnit unit(pattern, kUnitHeads, {}, kUnitWidth);
  const auto rows_in = [](float* queries, float* keys) {
    return AttentionGradients{{queries, kUnitWidth}, {keys, 2 * kUnitWidth}, {keys + kUnitWidth, 2 * kUnitWidth}};
  };
  const auto projected = read_rows(rows_in(floats(query), floats(key_value)));
  const auto joined = at::empty(expected.sizes());
  const auto query_gradient = at::empty(query.sizes());
  const auto key_value_gradient = at::empty(key_value.sizes());
  for (const auto& chunk : chunks_of_sentences(pattern)) {
    unit.forward(chunk, projected, rows_at(joined, chunk.rows));
    unit.backward(chunk, projected, rows_at(gradient, chunk.rows),
                  rows_in(rows_at(query_gradient, chunk.rows), rows_at(key_value_gradient, chunk.keys)));
  }
  EXPECT_LT(testing::relative_distance(joined, expected.detach()), 2e-6);
  EXPECT_LT(testing::relative_distance(query_gradient, query.grad()), 1e-5);
  EXPECT_LT(testing::relative_distance(key_value_gradient, key_value.grad()), 1e-5);
}

TEST(AttentionUnit, IsPlainAttentionWithinEachSentenceForwardAndBackward) {
  at::manual_seed(5);
  constexpr std::array<std::int64_t, 4> kQueries = {40, 1, 70, 25};
  constexpr std::array<std::int64_t, 4> kKeys = {33, 7, 12, 50};
  const auto queries = std::make_shared<UnpaddedLayout>(kQueries, 70);
  const auto keys = std::make_shared<UnpaddedLayout>(kKeys, 50);
  expect_plain_attention({queries, keys, /*is_causal=*/false});
  expect_plain_attention({queries, queries, /*is_causal=*/true});
}

}  // namespace
}  // namespace translate::trainer
