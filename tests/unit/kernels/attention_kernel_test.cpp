#include "translate/kernels/attention_kernel.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "translate/kernels/cpu_features.h"

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
  auto may = at::rand({shape.queries, shape.keys}).gt(0.3);
  may.select(1, 0).fill_(true);
  return {.shape = shape,
          .query = at::randn({shape.queries, width}),
          .key = at::randn({shape.keys, width}),
          .value = at::randn({shape.keys, width}),
          .may = may};
}

ConstRows rows_of(const at::Tensor& x) { return {x.const_data_ptr<float>(), x.size(1)}; }
Rows output_rows(const at::Tensor& x) { return {x.mutable_data_ptr<float>(), x.size(1)}; }

/// What the kernel takes: rows filled up with zeros to whole panels.
at::Tensor keep_rows(const at::Tensor& may) {
  auto keep = at::zeros({may.size(0), whole_panels(may.size(1))});
  keep.slice(1, 0, may.size(1)).copy_(may);
  return keep;
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

double distance(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).norm() / b.norm().clamp_min(1e-12)).item<double>();
}

constexpr AttentionShape kShapes[] = {{7, 9, 2, 16}, {16, 16, 1, 32}, {1, 1, 3, 5}, {33, 50, 4, 64}, {20, 17, 2, 7}};

TEST(AttentionKernel, IsScaledDotProductAttentionBothWays) {
  if (!has_vector_kernels()) {
    GTEST_SKIP() << "this processor has no AVX2";
  }
  at::manual_seed(1);
  for (const auto& shape : kShapes) {
    for (const double probability : {0.0, 0.3}) {
      const auto given = sentence(shape);
      const AttentionDropout dropout{.mask = {.probability = probability, .key = 99}, .first = 1000};
      auto mask = at::ones({shape.heads, shape.queries, shape.keys});
      apply_mask(dropout.mask, dropout.first, {mask.mutable_data_ptr<float>(), static_cast<std::size_t>(mask.numel())});
      const auto leaf = [](const at::Tensor& x) { return x.to(at::kDouble).requires_grad_(); };
      const auto query = leaf(given.query);
      const auto key = leaf(given.key);
      const auto value = leaf(given.value);
      const auto expected = exact(given, query, key, value, mask);
      const auto slope = at::randn(expected.sizes());
      (expected * slope).sum().backward();

      const auto keep = keep_rows(given.may);
      const AttentionMask may{keep.const_data_ptr<float>(), keep.size(1)};
      const AttentionInput input{rows_of(given.query), rows_of(given.key), rows_of(given.value)};
      const auto out = at::empty(given.query.sizes());
      attention_forward(shape, input, may, dropout, output_rows(out));
      EXPECT_LT(distance(out, expected.detach()), 1e-6);
      const auto query_slope = at::empty(given.query.sizes());
      const auto key_slope = at::empty(given.key.sizes());
      const auto value_slope = at::empty(given.value.sizes());
      attention_backward(shape, input, may, dropout, rows_of(slope),
                         {output_rows(query_slope), output_rows(key_slope), output_rows(value_slope)});
      EXPECT_LT(distance(value_slope, value.grad()), 2e-6);
      if (shape.keys > 1) {  // the weight of a single key is 1 whatever it is
        EXPECT_LT(distance(query_slope, query.grad()), 3e-6);
        EXPECT_LT(distance(key_slope, key.grad()), 3e-6);
      }
    }
  }
}

TEST(AttentionKernel, AQueryThatMayLookNowhereGetsZeros) {
  if (!has_vector_kernels()) {
    GTEST_SKIP() << "this processor has no AVX2";
  }
  auto given = sentence({5, 6, 2, 8});
  given.may[3].fill_(false);
  const auto keep = keep_rows(given.may);
  const auto out = at::full(given.query.sizes(), 7.0F);
  const AttentionInput input{rows_of(given.query), rows_of(given.key), rows_of(given.value)};
  attention_forward(given.shape, input, {keep.const_data_ptr<float>(), keep.size(1)}, {}, output_rows(out));
  EXPECT_TRUE(out[3].eq(0).all().item<bool>());
  EXPECT_TRUE(out[2].ne(0).all().item<bool>());
}

}  // namespace
}  // namespace translate
