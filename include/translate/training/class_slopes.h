#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "translate/kernels/packed_matrix.h"

namespace translate {

/// The gradients of a projection's weight (classes, width) and bias (classes) as sums over blocks of rows: of
/// exponentials or gradients by logits, transposed, times the projection's inputs, each with a 1 for the bias beside
/// it. Kept in panels of classes, as the products write them.
class ClassSlopes {
 public:
  static constexpr std::int64_t kClassesAtATime = 8 * kPanelWidth;  ///< what a thread takes

  /// Zeros.
  ClassSlopes(std::int64_t classes, std::int64_t width);

  /// Adds a block of rows: `inputs` (rows, width + 1), `by_logits` (rows, classes). On all threads.
  void add(const PackedMatrix& inputs, const PackedMatrix& by_logits);

  /// The sums of a class: width + 1 values, kPanelWidth apart.
  [[nodiscard]] const float* of_class(std::int64_t index) const;

 private:
  std::int64_t classes_;
  std::int64_t width_;
  at::Tensor sums_;  // panels of classes, (width + 1) x 16 each
};

}  // namespace translate
