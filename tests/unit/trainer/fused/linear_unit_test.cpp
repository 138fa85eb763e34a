#include "fused/linear_unit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "support/distance.h"
#include "tensors/tensor_file.h"

namespace translate::trainer {
namespace {

constexpr std::int64_t kLinearIn = 19;

/// Random maps from kLinearIn values to 5 and to 37.
std::vector<LinearTensors> random_maps(bool with_bias) {
  std::vector<LinearTensors> maps;
  for (const std::int64_t out : {5, 37}) {
    maps.push_back({.weight = at::randn({out, kLinearIn}).requires_grad_(),
                    .bias = with_bias ? at::randn({out}).requires_grad_() : at::Tensor()});
  }
  return maps;
}

/// Takes all chunks through the unit, forward and backward, in blocks of two. Returns y and the gradient of x.
std::array<at::Tensor, 2> run_linear(LinearUnit& unit, const at::Tensor& x, const at::Tensor& gradient) {
  auto y = at::empty({x.size(0), unit.out()});
  auto x_gradient = at::empty_like(x);
  const auto chunks = chunks_of_rows(x.size(0));
  unit.start_forward();
  for (const auto& chunk : chunks) {
    unit.forward(chunk, rows_at(x, chunk.rows), rows_at(y, chunk.rows));
  }
  unit.start_backward(std::ssize(chunks));
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (i % 2 == 0) {
      unit.start_block({.rows = {chunks[i].rows.begin, chunks[std::min(i + 1, chunks.size() - 1)].rows.end}});
    }
    const auto* of_chunk = rows_at(gradient, chunks[i].rows);
    unit.backward(chunks[i], of_chunk, rows_at(x_gradient, chunks[i].rows));
    unit.add_gradients(chunks[i], rows_at(x, chunks[i].rows), of_chunk);
    if (i % 2 == 1 || i + 1 == chunks.size()) {
      LinearUnit::end_block(std::array{&unit});
    }
  }
  return {y, x_gradient};
}

TEST(LinearUnit, IsTheLinearMapOfLibTorchForwardAndBackward) {
  at::manual_seed(3);
  for (const bool with_bias : {true, false}) {
    auto maps = random_maps(with_bias);
    const auto x = at::randn({2 * kChunkRows + 41, kLinearIn}).requires_grad_();
    const auto gradient = at::randn({x.size(0), 42});
    const auto expected =
        at::cat({at::linear(x, maps[0].weight, maps[0].bias), at::linear(x, maps[1].weight, maps[1].bias)}, 1);
    expected.backward(gradient);

    LinearUnit unit({{maps[0].weight.detach(), with_bias ? maps[0].bias.detach() : at::Tensor()},
                     {maps[1].weight.detach(), with_bias ? maps[1].bias.detach() : at::Tensor()}},
                    FactorType::kFloat);
    const auto [y, x_gradient] = run_linear(unit, x.detach(), gradient);
    EXPECT_LT(testing::relative_distance(y, expected.detach()), 1e-6);
    EXPECT_LT(testing::relative_distance(x_gradient, x.grad()), 1e-6);
    const auto gradients = unit.gradients();
    for (std::size_t i = 0; i < maps.size(); ++i) {
      EXPECT_LT(testing::relative_distance(gradients[i].weight, maps[i].weight.grad()), 1e-6);
      EXPECT_EQ(gradients[i].bias.defined(), with_bias);
      if (with_bias) {
        EXPECT_LT(testing::relative_distance(gradients[i].bias, maps[i].bias.grad()), 1e-6);
      }
    }
  }
}

TEST(LinearUnit, MapsTheRowsOfAChunkThatItIsToldTo) {
  at::manual_seed(3);
  const auto weight = at::randn({4, kLinearIn});
  const auto memory = at::randn({9, kLinearIn});
  LinearUnit unit({{weight, {}}}, FactorType::kFloat, &Chunk::keys);
  unit.start_forward();
  auto y = at::zeros({9, 4});
  const Chunk chunk{.rows = {0, 2}, .keys = {3, 8}};
  unit.forward(chunk, rows_at(memory, chunk.keys), rows_at(y, chunk.keys));
  EXPECT_LT(testing::relative_distance(y.slice(0, 3, 8), at::linear(memory.slice(0, 3, 8), weight)), 1e-6);
  EXPECT_EQ(y.slice(0, 0, 3).abs().max().item<float>(), 0.0F);
  EXPECT_EQ(y.slice(0, 8, 9).abs().max().item<float>(), 0.0F);
}

}  // namespace
}  // namespace translate::trainer
