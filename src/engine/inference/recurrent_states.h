#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace translate {

/// The states of recurrent units (kernels/recurrence.h) while many hypotheses are decoded: one vector for each row and
/// layer, in the place of the keys and values of all target positions (TargetCache).
class RecurrentStates {
 public:
  RecurrentStates(std::int64_t layers, std::int64_t width)
      : width_(static_cast<std::size_t>(width)), row_(static_cast<std::size_t>(layers) * width_) {}

  /// Appends `count` rows, whose states are 0.
  void add(std::int64_t count);
  /// Makes row i a copy of the former row parents[i].
  void select(std::span<const std::int64_t> parents);

  /// The state of a row in a layer, `width` floats. Valid until the rows change.
  [[nodiscard]] float* state(std::size_t layer, std::int64_t row) {
    return states_.data() + static_cast<std::size_t>(row) * row_ + layer * width_;
  }

 private:
  std::size_t width_;
  std::size_t row_;            // floats of a row: all layers
  std::vector<float> states_;  // (rows, layers, width)
  std::vector<float> next_states_;
};

}  // namespace translate
