#include "modules/recurrence.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "modules/recurrent_unit.h"
#include "support/distance.h"

namespace translate::trainer {
namespace {

using testing::relative_distance;

/// The definition, position by position: (batch, T, d).
at::Tensor by_steps(const at::Tensor& gate, const at::Tensor& candidate) {
  auto state = at::zeros_like(candidate.select(1, 0));
  std::vector<at::Tensor> states;
  for (std::int64_t t = 0; t < gate.size(1); ++t) {
    state = gate.select(1, t) * state + (1.0 - gate.select(1, t)) * candidate.select(1, t);
    states.push_back(state);
  }
  return at::stack(states, /*dim=*/1);
}

at::Tensor random_gates(std::int64_t length) { return at::randn({3, length, 5}).mul(3.0).sigmoid(); }

TEST(RecurrenceScan, AgreesWithTheDefinitionForwardAndBackward) {
  at::manual_seed(1);
  for (const std::int64_t length : {1, 2, 3, 4, 7, 8, 33}) {
    const auto leaf = [](const at::Tensor& x) { return x.to(at::kDouble).requires_grad_(); };
    const auto gate = leaf(random_gates(length));
    const auto candidate = leaf(at::randn({3, length, 5}));
    const auto weights = at::randn({3, length, 5}, at::kDouble);
    const auto expected = by_steps(gate, candidate);
    (expected * weights).sum().backward();
    const auto found_gate = leaf(gate.detach());
    const auto found_candidate = leaf(candidate.detach());
    const auto found = recurrence(found_gate, found_candidate);
    (found * weights).sum().backward();
    EXPECT_LT(relative_distance(found.detach(), expected.detach()), 1e-13) << length;
    EXPECT_LT(relative_distance(found_candidate.grad(), candidate.grad()), 1e-13) << length;
    EXPECT_LT(relative_distance(found_gate.grad(), gate.grad()), 1e-12) << length;
  }
}

TEST(RecurrenceScan, LaterPositionsChangeNothing) {
  at::manual_seed(2);
  const auto gate = random_gates(13);
  const auto candidate = at::randn({3, 13, 5});
  const auto whole = recurrence(gate, candidate);
  for (std::int64_t length = 1; length < 13; ++length) {
    const auto part = recurrence(gate.slice(1, 0, length), candidate.slice(1, 0, length));
    EXPECT_TRUE(at::equal(part, whole.slice(1, 0, length))) << length;
  }
}

TEST(RecurrentUnit, KeepsItsStateInSinglePrecision) {
  ModelOptions options;
  options.d_model = 8;
  options.num_heads = 2;
  options.decoder = DecoderKind::kSsru;
  const auto parameters = describe_parameters(options, /*sizes=*/{}).decoder.layers.front().recurrent_unit.value();
  RecurrentUnit unit(parameters);
  unit->to(at::kBFloat16);
  const auto x = at::randn({2, 3, 8}).to(at::kBFloat16);
  EXPECT_EQ(unit(x).scalar_type(), at::kFloat);
  at::Tensor state;
  EXPECT_EQ(unit->step(x.slice(1, 0, 1), state).sizes(), (at::IntArrayRef{2, 1, 8}));
  EXPECT_EQ(state.scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace translate::trainer
