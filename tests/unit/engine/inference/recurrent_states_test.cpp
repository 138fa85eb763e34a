#include "inference/recurrent_states.h"

#include <gtest/gtest.h>

#include <vector>

namespace translate {
namespace {

constexpr std::int64_t kUnits = 2;
constexpr std::int64_t kStateWidth = 3;

void set_state(RecurrentStates& states, std::int64_t row, float value) {
  for (std::size_t layer = 0; layer < kUnits; ++layer) {
    for (std::int64_t i = 0; i < kStateWidth; ++i) {
      states.state(layer, row)[i] = value + static_cast<float>(layer) * 0.5F;
    }
  }
}

void expect_state(RecurrentStates& states, std::int64_t row, float value) {
  for (std::int64_t i = 0; i < kStateWidth; ++i) {
    EXPECT_EQ(states.state(0, row)[i], value);
    EXPECT_EQ(states.state(1, row)[i], value == 0.0F ? 0.0F : value + 0.5F);
  }
}

TEST(RecurrentStates, NewRowsAreZeroAndRowsFollowTheirParents) {
  RecurrentStates states(kUnits, kStateWidth);
  states.add(3);
  for (std::int64_t row = 0; row < 3; ++row) {
    expect_state(states, row, 0.0F);
    set_state(states, row, 10.0F + static_cast<float>(row));
  }
  states.select(std::vector<std::int64_t>{2, 0, 2, 2});
  set_state(states, 3, 20.0F);  // a copy is a row of its own
  states.add(1);
  const float expected[] = {12.0F, 10.0F, 12.0F, 20.0F, 0.0F};
  for (std::int64_t row = 0; row < 5; ++row) {
    expect_state(states, row, expected[row]);
  }
  states.select({});
  states.add(2);
  expect_state(states, 1, 0.0F);
}

}  // namespace
}  // namespace translate
