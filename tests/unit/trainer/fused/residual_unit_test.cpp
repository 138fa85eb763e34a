#include "fused/residual_unit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <memory>

#include "support/distance.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {
namespace {

constexpr std::int64_t kResidualWidth = 11;
constexpr double kResidualEpsilon = 0.01;

at::Tensor normed(LayerNormKind kind, const at::Tensor& x, const NormTensors& norm) {
  if (kind == LayerNormKind::kRms) {
    return at::rms_norm(x, norm.alpha.sizes(), norm.alpha, kResidualEpsilon);
  }
  if (kind == LayerNormKind::kTorch) {
    return at::layer_norm(x, norm.alpha.sizes(), norm.alpha, norm.bias, kResidualEpsilon);
  }
  return norm.alpha * (x - x.mean(-1, true)) / (x.std(-1, true, true) + kResidualEpsilon) + norm.bias;
}

/// The connection around f(y) = 2 y, on plain operators.
at::Tensor connected(const ResidualSettings& settings, const at::Tensor& x, const NormTensors& norm,
                     const at::Tensor& mask) {
  if (settings.placement == NormPlacement::kPre) {
    return x + 2 * normed(settings.kind, x, norm) * mask;
  }
  return normed(settings.kind, x + 2 * x * mask, norm);
}

/// Takes all chunks through the connection around f(y) = 2 y. Returns the output; the gradients are in the unit.
at::Tensor run_residual(ResidualUnit& unit, const at::Tensor& gradient) {
  const auto chunks = chunks_of_rows(unit.rows());
  auto output = at::empty(gradient.sizes());
  auto inner = at::empty(gradient.sizes());
  auto input = at::empty(gradient.sizes());
  unit.start_backward(std::ssize(chunks));
  for (const auto& chunk : chunks) {
    unit.enter(chunk, rows_at(input, chunk.rows));
    output.slice(0, chunk.rows.begin, chunk.rows.end).copy_(2 * input.slice(0, chunk.rows.begin, chunk.rows.end));
    unit.leave(chunk, rows_at(output, chunk.rows));
    unit.leave_backward(chunk, rows_at(gradient, chunk.rows), rows_at(inner, chunk.rows));
    inner.slice(0, chunk.rows.begin, chunk.rows.end).mul_(2);
    unit.enter_backward(chunk, rows_at(inner, chunk.rows));
  }
  EXPECT_TRUE(at::equal(inner, input)) << "the input of f comes again";
  return output;
}

void expect_plain_connection(const ResidualSettings& settings) {
  const bool has_bias = settings.kind != LayerNormKind::kRms;
  const NormTensors norm{.alpha = at::randn({kResidualWidth}).requires_grad_(),
                         .bias = has_bias ? at::randn({kResidualWidth}).requires_grad_() : at::Tensor()};
  const auto x = at::randn({settings.sentences->rows(), kResidualWidth}).requires_grad_();
  const auto gradient = at::randn(x.sizes());
  auto mask = at::ones(x.sizes());
  settings.sentences->drop(settings.dropout, 0, x.size(0), kResidualWidth, floats(mask));
  const auto expected = connected(settings, x, norm, mask);
  expected.backward(gradient);

  ResidualKept kept;
  ResidualUnit unit(settings, x.detach(), {norm.alpha.detach(), has_bias ? norm.bias.detach() : at::Tensor()}, kept);
  EXPECT_LT(testing::relative_distance(run_residual(unit, gradient), expected.detach()), 1e-6);
  EXPECT_LT(testing::relative_distance(unit.x_gradient(), x.grad()), 1e-5);
  const auto gradients = unit.norm_gradients();
  EXPECT_LT(testing::relative_distance(gradients.alpha, norm.alpha.grad()), 1e-5);
  EXPECT_EQ(gradients.bias.defined(), has_bias);
  if (has_bias) {
    EXPECT_LT(testing::relative_distance(gradients.bias, norm.bias.grad()), 1e-5);
  }
}

TEST(ResidualUnit, IsThePlainConnectionForwardAndBackward) {
  at::manual_seed(6);
  constexpr std::array<std::int64_t, 3> kResidualLengths = {60, 1, 50};
  const auto sentences = std::make_shared<UnpaddedLayout>(kResidualLengths, 60);
  for (const auto placement : {NormPlacement::kPre, NormPlacement::kPost}) {
    for (const auto kind : {LayerNormKind::kTorch, LayerNormKind::kReference, LayerNormKind::kRms}) {
      expect_plain_connection({.placement = placement,
                               .kind = kind,
                               .epsilon = kResidualEpsilon,
                               .dropout = {.probability = 0.3, .key = 8},
                               .sentences = sentences});
    }
  }
}

}  // namespace
}  // namespace translate::trainer
