#include "inference/recurrent_states.h"

#include <gtest/gtest.h>

#include <vector>

namespace translate {
namespace {

constexpr std::int64_t kLayers = 2;
constexpr std::int64_t kWidth = 3;

void set(RecurrentStates& states, std::int64_t row, float value) {
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    for (std::int64_t i = 0; i < kWidth; ++i) {
      states.state(layer, row)[i] = value + static_cast<float>(layer) * 0.5F;
    }
  }
}

void expect_row(RecurrentStates& states, std::int64_t row, float value) {
  for (std::int64_t i = 0; i < kWidth; ++i) {
    EXPECT_EQ(states.state(0, row)[i], value);
    EXPECT_EQ(states.state(1, row)[i], value == 0.0F ? 0.0F : value + 0.5F);
  }
}

TEST(RecurrentStates, NewRowsAreZeroAndRowsFollowTheirParents) {
  RecurrentStates states(kLayers, kWidth);
  states.add(3);
  for (std::int64_t row = 0; row < 3; ++row) {
    expect_row(states, row, 0.0F);
    set(states, row, 10.0F + static_cast<float>(row));
  }
  states.select(std::vector<std::int64_t>{2, 0, 2, 2});
  set(states, 3, 20.0F);  // a copy is a row of its own
  states.add(1);
  const float expected[] = {12.0F, 10.0F, 12.0F, 20.0F, 0.0F};
  for (std::int64_t row = 0; row < 5; ++row) {
    expect_row(states, row, expected[row]);
  }
  states.select({});
  states.add(2);
  expect_row(states, 1, 0.0F);
}

}  // namespace
}  // namespace translate
