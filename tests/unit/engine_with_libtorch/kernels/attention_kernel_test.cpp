#include "kernels/attention_kernel.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/distance.h"
#include "unit/engine_with_libtorch/kernels/tensor_rows.h"

namespace translate {
namespace {

struct Sentence {
  AttentionShape shape;
  at::Tensor query;  // (T, heads * d_k)
  at::Tensor key;
  at::Tensor value;
  at::Tensor may;  // (T, S), boolean
};

Sentence sentence(const AttentionShape& shape) {
  const auto width = shape.heads * shape.head_width;
  auto may = at::ones({shape.queries, shape.keys}, at::kBool);
  may = shape.causal ? may.tril() : may;
  return {.shape = shape,
          .query = at::randn({shape.queries, width}),
          .key = at::randn({shape.keys, width}),
          .value = at::randn({shape.keys, width}),
          .may = may};
}

/// Equation 1 of the paper in double precision, weights times `mask` (heads, T, S).
at::Tensor exact(const Sentence& given, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                 const at::Tensor& mask) {
  const auto heads = [&](const at::Tensor& x) {
    return x.view({x.size(0), given.shape.heads, given.shape.head_width}).transpose(0, 1);
  };
  const auto scores =
      at::matmul(heads(query), heads(key).transpose(1, 2)) / std::sqrt(static_cast<double>(given.shape.head_width));
  const auto weights =
      at::_safe_softmax(scores.masked_fill(given.may.logical_not(), -std::numeric_limits<double>::infinity()), -1);
  return at::matmul(weights * mask, heads(value)).transpose(0, 1).flatten(1);
}

constexpr AttentionShape kShapes[] = {{7, 9, 2, 16},         {16, 16, 1, 32},     {1, 1, 3, 5},
                                      {33, 50, 4, 64},       {20, 17, 2, 7},      {9, 9, 2, 16, true},
                                      {37, 37, 3, 32, true}, {1, 1, 1, 16, true}, {20, 20, 2, 7, true}};

TEST(AttentionKernel, AgreesWithScaledDotProductAttentionForwardAndBackward) {
  at::manual_seed(1);
  for (const auto& shape : kShapes) {
    for (const double probability : {0.0, 0.3}) {
      const auto given = sentence(shape);
      // The sentence is part of a batch padded to 40 queries and 55 keys.
      const AttentionDropout dropout{
          .mask = {.probability = probability, .key = 99}, .first = 1000, .to_query = 55, .to_head = 40 * 55};
      auto mask = at::ones({shape.heads, 40, 55});
      apply_mask(dropout.mask, dropout.first, {mask.mutable_data_ptr<float>(), static_cast<std::size_t>(mask.numel())});
      mask = mask.slice(1, 0, shape.queries).slice(2, 0, shape.keys);
      const auto leaf = [](const at::Tensor& x) { return x.to(at::kDouble).requires_grad_(); };
      const auto query = leaf(given.query);
      const auto key = leaf(given.key);
      const auto value = leaf(given.value);
      const auto expected = exact(given, query, key, value, mask);
      const auto gradient = at::randn(expected.sizes());
      (expected * gradient).sum().backward();

      const AttentionInput input{rows_of(given.query), rows_of(given.key), rows_of(given.value)};
      const auto out = at::empty(given.query.sizes());
      attention_forward(shape, input, dropout, output_rows(out));
      EXPECT_LT(testing::relative_distance(out, expected.detach()), 1e-6);
      const auto query_gradient = at::empty(given.query.sizes());
      const auto key_gradient = at::empty(given.key.sizes());
      const auto value_gradient = at::empty(given.value.sizes());
      attention_backward(shape, input, dropout, rows_of(gradient),
                         {output_rows(query_gradient), output_rows(key_gradient), output_rows(value_gradient)});
      EXPECT_LT(testing::relative_distance(value_gradient, value.grad()), 2e-6);
      if (shape.keys > 1) {  // the weight of a single key is 1 whatever it is
        EXPECT_LT(testing::relative_distance(query_gradient, query.grad()), 3e-6);
        EXPECT_LT(testing::relative_distance(key_gradient, key.grad()), 3e-6);
      }
    }
  }
}

}  // namespace
}  // namespace translate
