#include "kernels/recurrence.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/distance.h"
#include "unit/engine_with_libtorch/kernels/tensor_rows.h"

namespace translate {
namespace {

/// Candidates and gates side by side, (length, 2 width). The gates are far enough from 0 that some open and some shut.
at::Tensor random_maps(std::int64_t length, std::int64_t width) {
  return at::cat({at::randn({length, width}), 3.0 * at::randn({length, width})}, /*dim=*/1);
}

struct Expected {
  at::Tensor states;  // (length, width)
  at::Tensor output;
};

/// The definition, position by position, by LibTorch's operators.
Expected exact(const at::Tensor& maps) {
  const auto width = maps.size(1) / 2;
  auto state = at::zeros({width}, maps.options());
  std::vector<at::Tensor> states;
  for (const auto& row : maps.unbind()) {
    const auto gate = row.slice(0, width).sigmoid();
    state = gate * state + (1.0 - gate) * row.slice(0, 0, width);
    states.push_back(state);
  }
  const auto all = at::stack(states);
  return {.states = all, .output = all.relu()};
}

struct Lengths {
  std::int64_t length;
  std::int64_t width;
};
constexpr Lengths kShapes[] = {{1, 1}, {1, 16}, {2, 7}, {9, 35}, {40, 64}, {150, 33}};

TEST(Recurrence, AgreesWithTheDefinitionForwardAndBackward) {
  at::manual_seed(1);
  for (const auto& [length, width] : kShapes) {
    const auto maps = random_maps(length, width);
    const auto leaf = maps.to(at::kDouble).requires_grad_();
    const auto expected = exact(leaf);
    const auto gradient = at::randn({length, width});
    (expected.output * gradient).sum().backward();

    const auto projected = maps.clone();
    const auto states = at::empty({length, width});
    const auto output = at::empty({length, width});
    recurrence_forward(length, width, output_rows(projected), states.mutable_data_ptr<float>());
    recurrence_output(states.const_data_ptr<float>(), length * width, output.mutable_data_ptr<float>());
    EXPECT_LT(testing::relative_distance(states, expected.states.detach()), 1e-6);
    EXPECT_LT(testing::relative_distance(output, expected.output.detach()), 1e-6);
    const auto maps_gradient = at::empty({length, 2 * width});
    recurrence_backward(length, width, rows_of(projected), states.const_data_ptr<float>(),
                        gradient.clone().mutable_data_ptr<float>(), output_rows(maps_gradient));
    EXPECT_LT(testing::relative_distance(maps_gradient, leaf.grad()), 2e-6) << length << " x " << width;
  }
}

TEST(Recurrence, StepsAreThoseOfTheWholeSentenceToTheLastBit) {
  at::manual_seed(2);
  for (const auto& [length, width] : kShapes) {
    const auto maps = random_maps(length, width);
    const auto states = at::empty({length, width});
    recurrence_forward(length, width, output_rows(maps.clone()), states.mutable_data_ptr<float>());
    const auto state = at::zeros({width});
    for (std::int64_t position = 0; position < length; ++position) {
      auto row = maps[position].clone();
      recurrence_step(width, row.mutable_data_ptr<float>(), state.mutable_data_ptr<float>());
      ASSERT_TRUE(at::equal(state, states[position])) << position << " of " << length << " x " << width;
    }
  }
}

TEST(Recurrence, GatesOfAnySizeStayFinite) {
  for (const float gate : {-1e30F, -200.0F, 200.0F, 1e30F}) {
    std::vector<float> projected = {2.0F, gate};
    float state = 5.0F;
    recurrence_step(/*width=*/1, projected.data(), &state);
    EXPECT_FLOAT_EQ(state, gate < 0.0F ? 2.0F : 5.0F);
  }
}

}  // namespace
}  // namespace translate
